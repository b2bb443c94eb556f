<?php
// Router of `php -S`: files that exist, else the program that $_SERVER['CMS_FRONT'] names.
$path = rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
$root = $_SERVER['DOCUMENT_ROOT'];
if ($path !== '/' && is_file($root . $path)) {
    return false;
}
if (is_file($root . rtrim($path, '/') . '/index.php') && $path !== '/') {
    return false;
}
$front = getenv('CMS_FRONT') ?: 'index.php';
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/' . $front;
$_SERVER['SCRIPT_FILENAME'] = $root . '/' . $front;
chdir($root);
require $root . '/' . $front;
