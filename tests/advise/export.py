"""Writes SQLite exports as Nsight Systems does, small and made up: one GPU, steps of layers with an exchange on both sides."""
import sqlite3

MS = 1_000_000  # ns

TABLES = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL PRIMARY KEY, name TEXT, busLocation TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
    streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
    correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER, textId INTEGER);
"""
NAMES = {1: 'nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT',
         2: 'void deep_ep::internode::dispatch<false, 8, true>(int4*)',
         3: 'void deep_ep::internode::combine<8, true>(int4*)',
         4: 'void deep_ep::internode::notify_dispatch<false, 8>(int const*)',
         5: 'void at::native::vectorized_elementwise_kernel<4>(int)',
         6: 'ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
         7: 'void multi_tensor_apply_kernel<adam>(int)',
         8: 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)',
         20: 'iteration'}


def write(path, steps=6, step_ms=1000.0, layers=20, exchange_ms=2.0, product_ms=15.0, hidden_ms=0.0, device='NVIDIA H100 80GB HBM3',
          nvtx=True, nccl=False, journal='delete', drop=(), first_ms=0.0, transfers=0, transfer_stream=33):
    """A layer: dispatch, products, combine; `hidden_ms` of every exchange runs beside products. The end of a step: a reduction, the
    optimizer, and nothing for what is left. The first step takes `first_ms` longer.
    With `nccl` tokens go by NCCL's SendRecv; `transfers` of a pipeline go by it too, 3 ms each, on `transfer_stream`."""
    database = sqlite3.connect(path)
    database.execute(f'PRAGMA journal_mode = {journal}')
    database.executescript(TABLES)
    database.executemany('INSERT INTO StringIds VALUES (?, ?)', NAMES.items())
    database.execute('INSERT INTO TARGET_INFO_GPU VALUES (0, ?, ?)', (device, '0000:1b:00.0'))
    pid = 0x1234 << 24
    kernels, ranges, start = [], [], 5_000 * MS

    def kernel(at, length, name, stream=7):
        kernels.append((int(at), int(at + length), 0, 1, stream, len(kernels), pid, name, name))
        return at + length

    dispatch, combine = (8, 8) if nccl else (2, 3)
    for step in range(steps):
        length = (step_ms + (first_ms if step == 0 else 0)) * MS
        at = start
        for _ in range(layers):
            at = kernel(at, exchange_ms * MS, dispatch, 20)
            kernel(at - hidden_ms * MS, product_ms * MS, 1)
            at += (product_ms - hidden_ms) * MS
            at = kernel(at, exchange_ms * MS, combine, 20)
        for _ in range(transfers):
            at = kernel(at, 3 * MS, 8, transfer_stream)
        at = kernel(at, 10 * MS, 6, 21)
        at = kernel(at, 20 * MS, 7)
        assert at <= start + length, 'the parts are longer than the step'
        ranges.append((int(start), int(start + length), 59, 'iteration' if step % 2 else None, pid | 77, None if step % 2 else 20))
        ranges.append((int(start), int(start + 5 * MS), 59, 'forward', pid | 77, None))
        start += length
    database.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', kernels)
    # A second process on the same GPU number, which is another GPU: must not count.
    database.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
                         [(s, e + 1, d, c, st, co, pid + (1 << 24), n, m) for s, e, d, c, st, co, _, n, m in kernels[:50]])
    if nvtx:
        database.executemany('INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?, ?)', ranges)
    for table in drop:
        database.execute(f'DROP TABLE {table}')
    database.commit()
    database.close()
