<?php
// A plugin that WordPress always loads: puts another prefix before the class names of theme and blocks, if the file says so.
ob_start(function ($html) {
    $names = @file_get_contents(__DIR__ . '/prefix');
    if (!$names) {
        return $html;
    }
    return preg_replace_callback('/ class="([^"]*)"/', function ($m) use ($names) {
        return ' class="' . preg_replace('/(^|\s)(?=[a-z])/', '$1' . trim($names), $m[1]) . '"';
    }, $html);
});
