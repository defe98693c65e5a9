"""igraph_rank.py NODES FILE: CPU seconds of igraph's PageRank (PRPACK, in C) on the links of a file of 64-bit pairs."""
import array
import json
import os
import sys
import time

import igraph

nodes, file = int(sys.argv[1]), sys.argv[2]
numbers = array.array("q")
with open(file, "rb") as links:
    numbers.fromfile(links, os.path.getsize(file) // 8)
pairs = memoryview(numbers).cast("B").cast("q", shape=[len(numbers) // 2, 2])
graph = igraph.Graph(n=nodes, edges=pairs, directed=True)
began, began_wall = time.process_time(), time.perf_counter()
rank = graph.pagerank(damping=0.85, implementation="prpack")
seconds = time.process_time() - began
print(json.dumps({"edges": graph.ecount(), "seconds": seconds, "wallSeconds": time.perf_counter() - began_wall, "top": max(rank)}))
