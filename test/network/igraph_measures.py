"""Measures of graphs by igraph's C library, to compare with. Each line in: {"nodes": n, "edges": [[a, b], ...],
"from": the degree at which a power law begins, or null}. Each line out: what igraph says of it."""
import json
import sys

import igraph

for line in sys.stdin:
    asked = json.loads(line)
    graph = igraph.Graph(n=asked["nodes"], edges=asked["edges"], directed=True)
    harmonic = graph.harmonic_centrality(mode="in", normalized=False)
    exponent = None
    if asked["from"] is not None:
        degrees = [degree for degree in graph.degree(mode="in") if degree > 0]
        exponent = igraph.power_law_fit(degrees, xmin=asked["from"], method="discrete", p_precision=0.5).alpha
    reciprocity = graph.reciprocity() if graph.ecount() else 0
    print(
        json.dumps(
            {
                "pageRank": graph.pagerank(damping=0.85),
                "harmonic": harmonic,
                "strong": graph.connected_components(mode="strong").membership,
                "weak": graph.connected_components(mode="weak").membership,
                "reciprocity": 0 if reciprocity != reciprocity else reciprocity,
                "exponent": exponent,
            }
        ),
        flush=True,
    )
