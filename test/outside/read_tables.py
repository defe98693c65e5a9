"""Reads the tables of a crawl with pyarrow and the graph files with NetworkX; writes what it found as JSON."""

import json
import sys

import networkx
import pyarrow.parquet

folder, graphml, graph_json = sys.argv[1:]
found = {"tables": {}}
for name in ["pages", "index", "links", "vertices", "edges", "dependencies"]:
    table = pyarrow.parquet.read_table(f"{folder}/{name}.parquet")
    found["tables"][name] = {
        "columns": [[field.name, str(field.type), field.nullable] for field in table.schema],
        "rows": [
            [value.isoformat() if hasattr(value, "isoformat") else value for value in row.values()]
            for row in table.to_pylist()
        ],
    }
graph = networkx.read_graphml(graphml)
with open(graph_json) as file:
    same = networkx.node_link_graph(json.load(file), edges="links")
found["graphs"] = [
    {
        "nodes": sorted([node, data["in_degree"], data["pagerank"]] for node, data in each.nodes(data=True)),
        "edges": sorted([a, b, data["links"]] for a, b, data in each.edges(data=True)),
    }
    for each in (graph, same)
]
json.dump(found, sys.stdout)
