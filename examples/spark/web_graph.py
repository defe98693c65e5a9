"""Degrees, PageRank and merged dependencies of many crawls with Apache Spark.

Reads the Parquet tables that `webfarer export --parquet` writes, from one folder or from many (one for each crawl,
on any file system that Spark reads), and writes its own beside them:

    spark-submit web_graph.py --tables s3a://crawls/*/parquet --out s3a://crawls/merged
    python web_graph.py --tables ./example.org.crawl/parquet --out ./merged     # on one machine: pip install pyspark

Hosts are joined by name, because every crawl numbers its own. The numbers are the same as those of one machine.
"""

import argparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

DAMPING = 0.85


def merged_edges(spark: SparkSession, tables: str) -> DataFrame:
    """Which host links to which over all crawls: `source`, `target`, `links`."""
    vertices = spark.read.parquet(f"{tables}/vertices.parquet").withColumn("crawl", folder_of())
    edges = spark.read.parquet(f"{tables}/edges.parquet").withColumn("crawl", folder_of())
    ends = vertices.select("crawl", "id", "host")
    return (
        edges.join(ends.select("crawl", f.col("id").alias("from_id"), f.col("host").alias("source")), ["crawl", "from_id"])
        .join(ends.select("crawl", f.col("id").alias("to_id"), f.col("host").alias("target")), ["crawl", "to_id"])
        .groupBy("source", "target")
        .agg(f.sum("links").alias("links"))
    )


def folder_of():
    """The folder of the tables: it tells the numbers of one crawl from those of another."""
    return f.regexp_replace(f.input_file_name(), r"/[^/]+\.parquet$", "")


def degrees(hosts: DataFrame, edges: DataFrame) -> DataFrame:
    incoming = edges.groupBy(f.col("target").alias("host")).agg(f.count("*").alias("in_degree"))
    outgoing = edges.groupBy(f.col("source").alias("host")).agg(f.count("*").alias("out_degree"))
    return hosts.join(incoming, "host", "left").join(outgoing, "host", "left").na.fill(0)


def page_rank(hosts: DataFrame, edges: DataFrame, tolerance: float, most_rounds: int = 200) -> DataFrame:
    """The power method: from a host without links, and with probability 1 - DAMPING, the reader goes anywhere."""
    count = hosts.count()
    out = edges.groupBy(f.col("source").alias("host")).agg(f.count("*").alias("out"))
    links = edges.select("source", "target").join(out.withColumnRenamed("host", "source"), "source").cache()
    ranks = hosts.join(out, "host", "left").select("host", f.lit(1.0 / count).alias("rank"), "out").cache()
    loose = ranks.where(f.col("out").isNull()).agg(f.sum("rank")).first()[0] or 0.0
    for _ in range(most_rounds):
        base = (1 - DAMPING + DAMPING * loose) / count
        gifts = (
            links.join(ranks.select(f.col("host").alias("source"), "rank"), "source")
            .groupBy(f.col("target").alias("host"))
            .agg(f.sum(f.col("rank") / f.col("out")).alias("gift"))
        )
        rank = f.lit(base) + DAMPING * f.coalesce("gift", f.lit(0.0))
        # Cut off from how it came about, or the plan would grow with every round.
        updated = ranks.join(gifts, "host", "left").select("host", rank.alias("rank"), "out", f.col("rank").alias("before")).localCheckpoint()
        change, loose = updated.agg(
            f.sum(f.abs(f.col("rank") - f.col("before"))),
            f.sum(f.when(f.col("out").isNull(), f.col("rank")).otherwise(0.0)),
        ).first()
        ranks = updated.drop("before")
        if change <= tolerance:
            break
    return ranks.select("host", f.col("rank").alias("pagerank"))


def merged_dependencies(spark: SparkSession, tables: str) -> DataFrame:
    """On whom most depend, at every level: how many sources list a target, and the sum of their shares."""
    found = spark.read.parquet(f"{tables}/dependencies.parquet")
    # The same source in several crawls counts once, with the mean of what they say.
    once = found.groupBy("level", "source", "target").agg(f.avg("share").alias("share"))
    return once.groupBy("level", "target").agg(f.count("*").alias("sources"), f.sum("share").alias("share"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", required=True, help="folder with the tables; a pattern for many crawls")
    parser.add_argument("--out", required=True, help="folder to write to")
    parser.add_argument("--tolerance", type=float, default=1e-9, help="PageRank ends when all ranks together change by less")
    options = parser.parse_args()

    spark = SparkSession.builder.appName("webfarer web graph").getOrCreate()
    edges = merged_edges(spark, options.tables).cache()
    hosts = spark.read.parquet(f"{options.tables}/vertices.parquet").select("host").distinct().cache()
    measures = degrees(hosts, edges).join(page_rank(hosts, edges, options.tolerance), "host")
    measures.write.mode("overwrite").parquet(f"{options.out}/hosts.parquet")
    merged_dependencies(spark, options.tables).write.mode("overwrite").parquet(f"{options.out}/dependencies.parquet")
    print(f"{hosts.count()} hosts, {edges.count()} links between them")
    spark.stop()


if __name__ == "__main__":
    main()
