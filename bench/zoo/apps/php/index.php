<?php
// A shop in PHP with MariaDB. Its settings lie beside it.
//
//   GET /orders/N   an order    GET /orders   the first twenty

$dials = json_decode(file_get_contents(__DIR__ . '/settings.json'), true);

function work(int $rounds): int {
    $sum = 0;
    for ($i = 0; $i < $rounds; $i++) $sum = ($sum * 31 + $i) % 1000003;
    return $sum;
}

try {
    mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
    $host = ($dials['kept'] ? 'p:' : '') . '127.0.0.1';
    $database = new mysqli($host, $dials['user'], $dials['password'], 'shop', $dials['database_port']);
    $number = (int) substr($_SERVER['REQUEST_URI'], strlen('/orders/'));
    if ($number) {
        for ($step = 0; $step < $dials['queries']; $step++) {
            $wanted = ($number + $step) % $dials['orders'] + 1;
            $rows = $database->query("SELECT id, name, price FROM orders WHERE {$dials['column']} = $wanted");
            $body = $rows->fetch_assoc();
        }
        if ($dials['write']) $database->query("INSERT INTO visits (item) VALUES ($number)");
        if ($dials['wait_ms']) usleep($dials['wait_ms'] * 1000);
        if ($dials['session_ms']) {
            $file = fopen(__DIR__ . '/session.lock', 'c');
            flock($file, LOCK_EX);
            usleep($dials['session_ms'] * 1000);
            fclose($file);
        }
        for ($i = 0; $i < $dials['log_lines']; $i++) error_log("order $number step $i: " . json_encode($body));
        $body['sum'] = work($dials['work']);
    } else {
        $body = $database->query('SELECT id, name, price FROM orders WHERE id <= 20')->fetch_all(MYSQLI_ASSOC);
    }
} catch (mysqli_sql_exception $failure) {
    http_response_code(503);
    $body = ['error' => $failure->getMessage()];
}
header('Content-Type: application/json');
echo json_encode($body);
