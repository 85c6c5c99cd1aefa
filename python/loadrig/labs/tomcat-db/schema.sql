-- 8 shops with 6,000 lines each; a request reads the lines of one shop by the primary key.
CREATE TABLE stock (shop INT, item INT, pieces INT, PRIMARY KEY (shop, item)) ENGINE=InnoDB;
INSERT INTO stock
  SELECT shops.seq, items.seq, (shops.seq * 37 + items.seq * 11) % 500
  FROM seq_1_to_8 shops, seq_1_to_6000 items;
