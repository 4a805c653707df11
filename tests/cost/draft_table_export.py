import sys,re
sys.path.insert(0,'/work/shared/reference')
import laws as L
src=open('/work/shared/reference/laws.py').read()
notes={}
for m in re.finditer(r"^  \((.*?)\): dict\(.*\),\n    # (n=.*)$",src,re.M):
    notes[tuple(re.findall(r"'([^']*)'",m.group(1)))]=m.group(2)
g=lambda x:repr(x) if isinstance(x,float) and x!=int(x) or abs(x)>1e15 else str(int(x))
def f(x): return g(float(x))
AIC="AIConfigurator tables (ai-dynamo/aiconfigurator), times of published kernel benchmarks"
SRC={'aic':AIC,'simumax':"SimuMax tables of B200 kernels through Transformer Engine",'datasheet':"vendor datasheets, dense rates",
 'mla':"arXiv 2603.07685, table 9",'assumed':"assumed; no row binds it",'deepep':"published DeepEP and HybridEP benchmark tables, one entry for each machine",
 'trt':"published TensorRT-LLM multi-node NVLink exchange tables",'lab':"published copy bandwidths of H100 (3.0 TB/s) and H200 (4.3 TB/s)",'deepgemm':"published DeepGEMM rates on H800, three shapes"}
FIT={'aic':'fitted'}
def write(name,law,formula,params,entries):
    used=[]; body=''
    for e in entries:
        if e['source'] not in used: used.append(e['source'])
        body+='  - key: [%s]\n    values: {%s}\n'%(', '.join(e['key']),', '.join('%s: %s'%(k,f(v)) for k,v in e['values'].items()))
        if e.get('range'): body+='    range: {%s}\n'%', '.join('%s: [%s, %s]'%(k,f(a),f(b)) for k,(a,b) in e['range'].items())
        body+='    status: %s\n    source: %s\n    relative_sd: %s\n'%(e['status'],e['source'],f(e['sd']))
        if e.get('rows'): body+='    rows: "%s"\n'%e['rows']
        if e.get('on'): body+='    measured_on: [%s]\n'%', '.join(e['on'])
        if e.get('to'): body+='    carried_to: [%s]\n'%', '.join(e['to'])
    out='law: %s\nformula: "%s"\n\nparameters:\n'%(law,formula)
    for p,u,m in params: out+='  %s: {unit: "%s", meaning: "%s"}\n'%(p,u,m)
    out+='\nsources:\n'+''.join('  %s: {text: "%s", date: 2026-11}\n'%(s,SRC[s]) for s in used)+'\nentries:\n'+body
    for d in sys.argv[1:]: open(d+'/'+name+'.yaml','w').write(out)
cls={'h100':'hopper','h200':'hopper','h800':'hopper','h20':'hopper','a100':'hopper','b200':'b200','b300':'b200','gb200':'gb200','gb300':'gb200'}
near=dict(L._NEAR); near.update(h800='h100',h20='h100')
E=[]
for h,d in L.HW.items():
    v=dict(sms=d['sm'],peak_bf16=d['bf16'])
    if d['fp8']: v['peak_fp8']=d['fp8']
    if d['fp4']: v['peak_fp4']=d['fp4']
    v.update(memory=d['hbm'],nvlink=d['nvl'],nvlink_domain=d['dom'],nic=d['nic'])
    E.append(dict(key=[h,d['arch'],cls[h],near[h]],values=v,status='prior',source='datasheet',sd=0))
write('chips','chip','what the laws know of a machine; key: name, architecture, family of exchange parameters, whose GEMM parameters stand in',
 [('sms','1','streaming multiprocessors'),('peak_bf16','TFLOP/s','dense tensor-core rate'),('peak_fp8','TFLOP/s','absent: no such mode'),('peak_fp4','TFLOP/s','absent: no such mode'),('memory','TB/s','memory bandwidth'),('nvlink','GB/s','per GPU and direction'),('nvlink_domain','1','GPUs that reach each other over NVLink'),('nic','GB/s','per GPU and direction')],E)
E=[]
for d,b in L._BYTES.items():
    v=dict(operand_bytes=b)
    if d in L.WIRE: v['wire_bytes']=L.WIRE[d]
    E.append(dict(key=['w4a8_mxfp4_mxfp8' if d=='w4a8' else d],values=v,status='prior',source='assumed',sd=0))
write('formats','format','bytes an element, scales included',[('operand_bytes','bytes','an element of a GEMM operand'),('wire_bytes','bytes','an element of a message; absent: never sent')],E)
E=[]
for (h,d),q in L.GEMM.items():
    te=d.endswith('_te'); dd=d[:-3] if te else d
    E.append(dict(key=[h,dd,'te' if te else 'torch'],values=q,range=dict(m=(1024,65536),n=(512,131072),k=(1024,65536)),status='fitted',source='simumax' if te else 'aic',sd=L.CV[('gemm',h,d)],rows=notes[(h,d)],on=[h]))
write('gemm','gemm','t0 + max(2mnk pad (1 + k0/k) / (peak eff fill), bytes / (share memory)) + pq m k',[('t0','us','launch'),('eff','1','share of the peak that long products reach'),('k0','1','depth at which half of the time is spent outside the inner loop'),('pq','ps','quantising one element of A')],E)
q=L.GROUPED[('b200','bf16_te')]
write('grouped_gemm','grouped_gemm','hypot(tg groups, F / (peak eff) + cb bytes / memory)',[('tg','us','launch of one product among several streams'),('eff','1','share of the peak'),('eff_w','1','the same for weight gradients'),('cb','1','how often the bytes pass memory'),('eff_reference','1','dense share of the chip of the rows; other chips and formats scale by theirs over it'),('eff_cap','1','what no scaling exceeds'),('quantised_tg','1','stretch of tg in 8 and 4 bit formats'),('elsewhere_sd','1','added off the chip of the rows')],
 [dict(key=['te'],values=dict(q,eff_reference=L.GEMM[('b200','bf16')]['eff'],eff_cap=.9,quantised_tg=1.3,elsewhere_sd=.1),range=dict(rows_per_group=(96,16384)),status='fitted',source='simumax',sd=L.CV[('grouped','b200','bf16_te')],rows=notes[('b200','bf16_te')] if False else 'n=96 in 0.055/0.177 cv 0.059/0.191; groups 20..256 rows 128..9832 n,k 1536..7168',on=['b200'])])
write('persistent_gemm','persistent_gemm','t0 + p4(F pad128 (1 + k0/k) / (peak eff), cw bytes / memory)',[('t0','us','launch'),('k0','1','depth that costs as much as the launch of a tile'),('cw','1','how often the bytes pass memory'),('hopper_block_eff','1','share of the peak of block-scaled FP8 on Hopper; else the dense share')],
 [dict(key=['single'],values=dict(t0=5,k0=450,cw=1.15,hopper_block_eff=.7),status='fitted',source='deepgemm',sd=.15,rows='n=3, met within 3 %',on=['h800'])])
E=[]
for k,q in L.MOE.items():
    on={'hopper':['h100','h200'],'b200':['b200','b300'],'gb200':['gb200','gb300']}[k[0]]
    E.append(dict(key=list(k),values=q,range=dict(rows_per_expert=(64,16384),hidden=(2048,7168)),status='fitted',source='aic',sd=L.CV[('moe_fwd',)+k],rows=notes[k],on=on))
write('moe_forward','moe_forward','t0 + hypot(F pad128 kf / (peak eff), cw weights / memory) + ct tokens + ca rows',[('t0','us','launches'),('eff','1','share of the peak; 0.95 is a cap, not a finding'),('k0','1','cost of an output element, in steps of depth'),('cw','1','how often the weights pass memory'),('ct','1','how often all tokens of the group do, twice their bytes'),('ca','1','how often the routed rows do')],E)
write('attention','attention','tf + p4(F / (peak e), k critical path), forward times 1 + th ln(1 + t / 1 ms)',[('ef','1','share of the peak forward'),('eb','1','the same backward'),('xb','1','factor on eb for heads wider than 128'),('xf','1','factor on ef for heads wider than 128'),('k','1','stretch of the path of one block of queries'),('tf','us','helper kernels of a forward call'),('th','1','slowing with duration'),('hopper_gain','1','Hopper reaches a larger share of its peak'),('eff_cap','1','what no share exceeds'),('elsewhere_sd','1','added off the chip of the rows')],
 [dict(key=['te'],values=dict(L.ATT[('b200','te')],hopper_gain=1.2,eff_cap=.75,elsewhere_sd=.07),range=dict(seq=(2048,262144)),status='fitted',source='simumax',sd=.064,rows='n=29 in 0.026/0.105 cv 0.044/0.122; seq 4096..131072 heads 4..128',on=['b200'],to=['b300','gb200','gb300'])])
E=[]
for (a,b),(r,c) in L.CUDNN.items():
    E.append(dict(key=[a,'backward' if b else 'forward'],values=dict(r=r,c=c,peak=989 if a=='hopper' else 2250),range=dict(seq=(4096,16384)),status='fitted',source='mla',sd=.12,rows='n=2, so the line meets both',on=['h100','b200'],to=['h200','h800','b300','gb200','gb300']))
write('attention_line','attention_line','1/rate = 1/r + c/seq',[('r','TFLOP/s','rate of endless sequences'),('c','tokens/(TFLOP/s)','loss on short ones'),('peak','TFLOP/s','of the chip of the rows')],E)
on={'permute':['b200'],'cross_entropy':['b200'],'copy':['h100','h200']}
write('memory_bound','memory_bound','launch + bytes / (share memory)',[('share','1','of the datasheet bandwidth')],[dict(key=[k],values=dict(share=v),status='fitted' if k in on else 'prior',source={'copy':'lab','elementwise':'assumed','norm':'assumed'}.get(k,'simumax'),sd=.12 if k in on else .2,on=on.get(k)) for k,v in L.MEM.items()])
E=[]
cn={'a100':('ampere',300,['a100']),'hopper':('hopper',450,['h100','h200']),'blackwell':('blackwell',900,['b200','b300','gb200','gb300'])}
for (k,c),q in L.COLL.items():
    E.append(dict(key=[k,cn[c][0]],values=dict(q,nvlink=cn[c][1]),range=dict(bytes=(65536,1.1e9),ranks=(2,8)),status='fitted',source='aic',sd=L.CV[('coll',k,c)],rows=notes[(k,c)],on=cn[c][2]))
write('collective','collective','a0 + a1 (R-1) + V / (B (1 - d/R)) + c r (1 - exp(-V / (v0 r))), r = (R-1)^x',[('a0','us','launch'),('a1','us','per further rank'),('B','GB/s','bandwidth'),('d','1','loss among few ranks'),('c','us','height of the climb between protocols'),('v0','MB','volume of the climb'),('x','1','how the climb grows with ranks'),('nvlink','GB/s','of the machines of the rows')],E)
E=[]
for (b,c,o),q in L.DISP.items():
    q=dict(q); fam='gb200' if c=='blackwell' else c
    if b=='deepep': q['a_small']=L._A_SMALL[(c,o)]
    q.setdefault('rho',1)
    if 'r1' not in q: q['r1']=60
    q['nvlink']=450 if c=='hopper' else 900
    if 'Bi' in q: q['nic']=50
    own={'deepep':['h100','h200','b200','b300','gb200','gb300'],'hybridep':['h100','b200','gb200']}[b]
    E.append(dict(key=[b,fam,o],values=q,range=dict(tokens=(1024,131072),hidden=(1536,8192),sms=(3.5,24 if c=='hopper' else 48)),status='fitted',source='deepep',sd=L.CV[('disp',b,c,o)],rows=notes[(b,c,o)],on=own))
write('exchange','exchange','a + an log2(domains) + p4(SMs, NVLink, NIC)',[('a','us','launch of large exchanges'),('a_small','us','launch of small ones'),('an','us','per doubling of the NVLink domains'),('g0','us','SM time of a token'),('g1','us','SM time of a copy'),('r1','GB/s','what one SM moves'),('rho','1','power of the SM count'),('rr','GB/s','what one SM moves between ranks, several domains'),('rn','GB/s','what one SM moves between domains'),('Bn','GB/s','NVLink'),('Bi','GB/s','NIC'),('api0','us','framework around the kernel'),('api1','1','the same, per us at 1000 GB/s'),('nvlink','GB/s','of the machines of the rows'),('nic','GB/s','of the machines of the rows')],E)
E=[]
for (c,o),q in L.LL.items():
    if c=='h800': E.append(dict(key=['split','hopper',o],values=dict(a=q[0],nic_rate=q[1],nvlink_rate=q[2],nic=50),range=dict(tokens=(0,256)),status='fitted',source='deepep',sd=.12,on=['h800']))
    else: E.append(dict(key=['joint',c,o],values=dict(a=q[0],nvlink_rate=q[1]),range=dict(tokens=(0,256)),status='fitted',source='deepep',sd=.08))
write('low_latency','low_latency','a + tokens topk bytes / rate',[('a','us','launch'),('nvlink_rate','GB/s','inside an NVLink domain'),('nic_rate','GB/s','between domains'),('nic','GB/s','of the machine of the rows')],E)
write('nvlink_exchange','nvlink_exchange','a + tokens (c + bytes X / rate)',[('a','us','launch'),('c','us','a token, or a copy of it when one-sided'),('rate','GB/s','NVLink')],[dict(key=[s+'_sided',o],values=dict(a=q[0],c=q[1],rate=q[2]),status='fitted',source='trt',sd=.15,on=['gb200']) for (s,o),q in L.TRT.items()])
FORM=[('gemm_least_launch','us',2,'no product is faster'),('gemm_memory_share','1',.85,'of the datasheet bandwidth that a product reaches'),('gemm_fill_power','1',.5,'loss where tiles do not fill the SMs'),('gemm_least_fill','1',.05,'floor of the fill'),('gemm_unquantised_launch','1',.4,'share of t0 without the quantising kernel'),('quantise_launch','us',3,'launch of a quantising kernel'),('kernel_launch','us',3,'no kernel is faster'),('ampere_attention','1',1.05,'Ampere over Hopper, as share of the peak'),('collective_nic_share','1',.94,'of the line rate'),('collective_domain_latency','us',10,'per doubling of the domains'),('ring_domain_latency','us',2,'per domain of a ring'),('p2p_nvlink_latency','us',10,'point to point'),('p2p_nvlink_share','1',.72,'of the link rate'),('p2p_nic_latency','us',15,'point to point'),('p2p_nic_share','1',.92,'of the line rate'),('node_copy_gain','1',1.5,'an SM moves more between domains than between ranks'),('small_tokens','1',1024,'tokens at which the launch is half way to that of large exchanges'),('hybrid_launch','us',30,'HybridEP'),('v2_gain','1',.6,'SM time of DeepEP V2 over HybridEP'),('deepep_sms','1',20,'default'),('hybridep_sms','1',16,'default'),('deepep_v2_sms','1',24,'default')]
write('forms','forms','what several laws assume',[(n,u,m) for n,u,v,m in FORM],[dict(key=['all'],values={n:v for n,u,v,m in FORM},status='prior',source='assumed',sd=.25)])
