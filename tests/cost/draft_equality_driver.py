import sys,itertools,random
sys.path.insert(0,'/work/shared/reference')
import laws as L
random.seed(5)
out=[]
F={'bf16':'bf16','fp8':'fp8','fp8_block':'fp8_block','nvfp4':'nvfp4'}
def add(expr,hw,ref): out.append('  check(__LINE__, %s, %r, %r, Status::%s);'%(expr.replace('CHIP','*t.find_chip("%s")'%hw),ref[0],ref[1],ref[2]))
H=list(L.HW); b=lambda x:'true' if x else 'false'
for i in range(80):
    h=random.choice(H); d=random.choice(list(F)); m,n,k=[random.choice([96,512,1000,1024,4096,7168,18432,70000]) for _ in '123']; te=random.random()<.3; q=random.random()<.5; s=random.choice([None,100])
    add('gemm(t, CHIP, Gemm{.format=Format::%s,.m=%d,.n=%d,.k=%d,.transformer_engine=%s,.quantise=%s,.sms=%d})'%(d,m,n,k,b(te),b(q),s or 0),h,L.gemm_time(h,d,m,n,k,'te' if te else 'torch',q,s))
S={'fwd':'forward','dgrad':'data_gradient','wgrad':'weight_gradient'}
for i in range(80):
    h=random.choice(H); d=random.choice(list(F)); G=random.choice([1,8,64]); m=random.choice([50,100.5,512,4000]); st=random.choice(list(S)); te=random.random()<.5; a=random.random()<.5;q=random.random()<.5
    add('grouped_gemm(t, CHIP, GroupedGemm{.format=Format::%s,.groups=%d,.rows_per_group=%r,.n=4096,.k=7168,.stage=GemmStage::%s,.persistent=%s,.accumulate=%s,.quantise=%s})'%(d,G,m,S[st],b(not te),b(a),b(q)),h,L.grouped_gemm_time(h,d,G,m,4096,7168,st,'te' if te else 'single',a,q))
for i in range(80):
    h=random.choice(H); d=random.choice(list(F)+['w4a8']); dd='w4a8_mxfp4_mxfp8' if d=='w4a8' else d; fam=random.choice(['cutlass','sglang','deepgemm','trtllm_gen']); T=random.choice([64,4096,65536]); ep=random.choice([1,8,64]); g=random.random()<.5; hid=random.choice([1024,7168])
    add('moe_forward(t, CHIP, MoeForward{.format=Format::%s,.tokens=%d,.topk=8,.experts=256,.ranks=%d,.hidden=%d,.inter=2048,.gated=%s,.kernels=MoeKernels::%s})'%(d,T,ep,hid,b(g),fam),h,L.moe_forward_time(h,dd,T,8,256,ep,hid,2048,g,fam))
K={None:'by_chip','te':'transformer_engine','cudnn':'cudnn'}
for i in range(80):
    h=random.choice(H); d=random.choice(['bf16','fp8']); s=random.choice([300,4096,16384,300000]); B=random.choice([1,4]); c=random.random()<.8; w=random.choice([None,None,1024]); bw=random.random()<.5; fam=random.choice(list(K)); qk=random.choice([64,128,192])
    add('attention(t, CHIP, Attention{.format=Format::%s,.heads=32,.head_dim_qk=%d,.head_dim_v=128,.seq=%d,.batch=%d,.causal=%s,.window=%d,.backward=%s,.kernels=AttentionKernels::%s})'%(d,qk,s,B,b(c),w or 0,b(bw),K[fam]),h,L.attention_time(h,d,32,32,qk,128,s,B,c,w,bw,fam))
for h in H:
    for k in L.MEM: add('memory_bound(t, CHIP, MemoryKernel::%s, 1e9, 3)'%k,h,L.memory_bound_time(h,1e9,k))
C={'alltoall':'all_to_all','allgather':'all_gather','reducescatter':'reduce_scatter','allreduce':'all_reduce','p2p':'point_to_point'}
for i in range(100):
    h=random.choice(H); k=random.choice(list(C)); n=random.choice([0,1e4,1e6,64e6,4e9]); R=random.choice([1,2,4,8,16,72,256]); D=random.choice([None,None,4,1]); N=random.choice([None,4])
    add('collective(t, CHIP, Collective{.kind=CollectiveKind::%s,.bytes=%r,.ranks=%d,.nvlink_domain=%d,.nics=%d})'%(C[k],n,R,D or 0,N or 0),h,L.collective_time(h,k,n,R,D,N))
B={'deepep':'deepep','deepep-v2':'deepep_v2','hybridep':'hybridep','deepep-ll':'low_latency','nccl':'nccl','trtllm-NVLinkOneSided':'nvlink_one_sided','trtllm-NVLinkTwoSided':'nvlink_two_sided'}
for i in range(300):
    h=random.choice(H); k=random.choice(list(B)); op=random.choice(['dispatch','combine']); d=random.choice(list(F)); T=random.choice([0,100,4096,200000]); R=random.choice([1,4,8,16,32,64,128]); s=random.choice([None,8,24,32]); D=random.choice([None,None,4,8]); g=random.choice([None,(8,4)]); api=random.random()<.3; hid=random.choice([1024,7168])
    add('exchange(t, CHIP, Exchange{.direction=Direction::%s,.backend=Backend::%s,.tokens=%d,.hidden=%d,.topk=8,.experts=256,.ranks=%d,.format=Format::%s,.sms=%d,.nvlink_domain=%d,.limit={%s},.framework=%s})'%(op,B[k],T,hid,R,d,s or 0,D or 0,'8,4' if g else '',b(api)),h,getattr(L,op+'_time')(h,k,T,hid,8,256,R,d,s,D,*(g or (None,None)),api=api))
print('''#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <deque>
#include "cost/attention.h"
#include "cost/collective.h"
#include "cost/exchange.h"
#include "cost/gemm.h"
#include "cost/memory_bound.h"
#include "cost/moe_forward.h"
using namespace epwise::cost;
static int bad=0,all=0; static double worst=0;
static void check(int line,Cost c,double s,double sd,Status st){++all; double e=s==0?std::fabs(c.seconds):std::fabs(c.seconds/s-1); if(e>worst)worst=e; if(!(e<1e-9)||std::fabs(c.relative_sd-sd)>1e-9||c.status!=st){++bad;std::printf("line %d: %g want %g sd %g want %g %d want %d\\n",line,c.seconds,s,c.relative_sd,sd,(int)c.status,(int)st);}}
int main(){ std::deque<epwise::text::SourceFile> files; std::vector<TableEntry> es; std::vector<epwise::text::Diagnostic> ps;
for(auto& e:std::filesystem::directory_iterator("costlaws")) if(e.path().extension()==".yaml"){std::ifstream in(e.path());files.emplace_back(e.path().string(),std::string(std::istreambuf_iterator<char>(in),{}));for(auto&x:read_entries(files.back(),ps))es.push_back(x);}
es=unpack_entries(pack_entries(es));
auto table=make_table(es,ps); for(auto&p:ps)std::printf("%s: %s\\n",p.mark.file?p.mark.file->name().c_str():"",p.message.c_str()); if(!table)return 1; const Table&t=*table;''')
print('\n'.join(out)); print('std::printf("%d of %d differ, worst %g\\n",bad,all,worst);}')
