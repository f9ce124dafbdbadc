"""A real OpenAI-compatible server in a process of its own: python serve.py MODEL.gguf PORT [TOKENS OF CONTEXT]."""

import sys
import time

import xllamacpp

if __name__ == "__main__":
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.port = int(sys.argv[2])
    params.n_ctx, params.n_parallel = int(sys.argv[3]) if len(sys.argv) > 3 else 4096, 1
    # Beside another request, or begun from what an earlier one left in memory, likelihoods differ by up to .17, and answers with them.
    params.cache_prompt = False
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # several would spin while they wait for each other
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(1)
