# SPDX-License-Identifier: Apache-2.0
"""Writes the samples that are SQLite files; equal tables give equal bytes."""
import os
import sqlite3


def write(path, tables, view=""):
    """tables: (name, columns, rows) of each. view: an SQL statement that creates a view."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA page_size=512")
    for table, columns, rows in tables:
        db.execute(f"CREATE TABLE {table} ({columns})")
        for row in rows:
            db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
    if view:
        db.execute(view)
    db.commit()
    db.execute("VACUUM")
    db.close()
