-- 400 users with the password "practice" (30,000 rounds of PBKDF2), each with 50 orders that are found by an index.
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, salt BINARY(16), hash BINARY(32)) ENGINE=InnoDB;
CREATE TABLE tokens (user VARCHAR(20) PRIMARY KEY, token CHAR(32), issued DATETIME(3)) ENGINE=InnoDB;
CREATE TABLE orders (id INT PRIMARY KEY, customer VARCHAR(20), cents INT, KEY (customer, id)) ENGINE=InnoDB;
INSERT INTO users
  SELECT CONCAT('user', seq),
    UNHEX('6c6f6164726967206c6f616472696720'),
    UNHEX('72bf7344cb9c2ee028e6d9b5127eae4c66c64c2ec5d4e1d37f603cee12ac4200')
  FROM seq_1_to_400;
INSERT INTO orders SELECT seq, CONCAT('user', 1 + seq % 400), 100 + seq % 9000 FROM seq_1_to_20000;
