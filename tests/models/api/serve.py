"""Real OpenAI-compatible server in its own process: python serve.py MODEL.gguf PORT [TOKENS OF CONTEXT]."""

import sys
import time

import xllamacpp

if __name__ == "__main__":
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.port = int(sys.argv[2])
    params.n_ctx, params.n_parallel = int(sys.argv[3]) if len(sys.argv) > 3 else 4096, 1
    # In parallel with another request, or from the cached prompt of an earlier one, likelihoods differ by up to .17, and so do answers.
    params.cache_prompt = False
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # several would busy-wait for each other
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(1)
