"""Draw a Spark column that is the same for any partitions. Needs: pip install pyspark pandas pyarrow.

Spark needs a Java too, of version 17 or newer.
"""

import os
import sys

import numpy as np
import pandas as pd
from pyspark.sql import SparkSession, functions

from dmlrand import batch, make_state

ROOT, ROWS = make_state(key=42), 10_000


def normals(ids: pd.Series) -> pd.Series:
    """A number for each row, which depends on the id of the row alone."""
    children = batch.fold_in(np.tile(ROOT, (len(ids), 1)), ids.to_numpy(np.uint64))
    return pd.Series(batch.normal(children, 1, dtype=np.float64).values[:, 0])


def column(spark, partitions):
    numbers = functions.pandas_udf(normals, "double")("id")
    table = spark.range(ROWS).repartition(partitions).withColumn("z", numbers)
    return table.orderBy("id").toPandas()["z"]


if __name__ == "__main__":
    os.environ["PYSPARK_PYTHON"] = sys.executable  # workers run this Python, which has dmlrand
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    print("the same for 1 and 7 partitions:", column(spark, 1).equals(column(spark, 7)))
    spark.stop()
