<?php
// Does with WordPress what its administrator does: `php wordpress.php ROOT URL VERB [ARGUMENT]`, data on stdin as JSON.
[, $root, $url, $verb] = $argv;
$argument = $argv[4] ?? '';
$_SERVER['HTTP_HOST'] = parse_url($url, PHP_URL_HOST) . ':' . parse_url($url, PHP_URL_PORT);
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$_SERVER['REQUEST_METHOD'] = 'GET';
if ($verb === 'install') {
    define('WP_INSTALLING', true);
}
require $root . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/taxonomy.php';
$data = $verb === 'install' || $verb === 'theme' ? null : json_decode(stream_get_contents(STDIN), true);
mt_srand(1);

function body_of(array $d): string
{
    $out = '';
    foreach ($d['paragraphs'] as $i => $p) {
        $out .= "<!-- wp:paragraph -->\n<p>$p</p>\n<!-- /wp:paragraph -->\n\n";
        if ($i === 0 && !empty($d['heading'])) {
            $out .= "<!-- wp:heading -->\n<h2>{$d['heading']}</h2>\n<!-- /wp:heading -->\n\n";
        }
    }
    if (!empty($d['items'])) {
        $out .= "<!-- wp:list -->\n<ul>" . implode('', array_map(fn($x) => "<!-- wp:list-item --><li>$x</li><!-- /wp:list-item -->", $d['items'])) . "</ul>\n<!-- /wp:list -->\n";
    }
    return $out;
}

function add_comments(int $post, array $comments): void
{
    foreach ($comments as [$author, $text]) {
        wp_insert_comment(['comment_post_ID' => $post, 'comment_author' => $author, 'comment_content' => $text,
                           'comment_author_email' => strtolower($author) . '@example.org', 'comment_approved' => 1]);
    }
}

function add_menu_item(string $title, string $url): void
{
    $menu = wp_get_nav_menu_object('Main') ?: wp_get_nav_menu_object(wp_create_nav_menu('Main'));
    wp_update_nav_menu_item($menu->term_id, 0, ['menu-item-title' => $title, 'menu-item-url' => $url, 'menu-item-status' => 'publish', 'menu-item-type' => 'custom']);
    update_option('main_menu', $menu->term_id);
    $nav = get_posts(['post_type' => 'wp_navigation', 'numberposts' => 1]);
    $link = '<!-- wp:navigation-link {"label":"' . $title . '","url":"' . $url . '","kind":"custom"} /-->';
    if ($nav) {
        wp_update_post(['ID' => $nav[0]->ID, 'post_content' => $nav[0]->post_content . $link]);
    } else {
        wp_insert_post(['post_type' => 'wp_navigation', 'post_title' => 'Main', 'post_status' => 'publish', 'post_content' => $link]);
    }
}

function put_menu(): void
{
    $places = array_fill_keys(array_keys(get_registered_nav_menus()), (int) get_option('main_menu'));
    set_theme_mod('nav_menu_locations', array_intersect_key($places, ['primary' => 1]));
}

switch ($verb) {
    case 'install':
        $result = wp_install('Harbour notes', 'admin', 'admin@example.org', true, '', 'password');
        update_option('siteurl', $url);
        update_option('home', $url);
        update_option('permalink_structure', '/%year%/%postname%/');
        update_option('comment_moderation', 0);
        update_option('posts_per_page', 6);
        switch_theme($argument);
        break;
    case 'rewrite':
        flush_rewrite_rules(false);
        break;
    case 'posts':
        foreach ($data as $n => $d) {
            $category = get_cat_ID($d['category']) ?: wp_create_category($d['category']);
            $post = wp_insert_post(['post_title' => $d['title'], 'post_content' => body_of($d), 'post_status' => 'publish', 'post_author' => 1,
                                    'post_category' => [$category], 'tags_input' => $d['tags'],
                                    'post_date' => date('Y-m-d H:i:s', strtotime('2026-02-01') + 86400 * $d['number'])]);
            add_comments($post, $d['comments']);
        }
        break;
    case 'pages':
        $parent = 0;
        foreach ($data as $n => $d) {
            $id = wp_insert_post(['post_title' => $d['title'], 'post_content' => body_of($d), 'post_status' => 'publish', 'post_author' => 1,
                                  'post_type' => 'page', 'post_parent' => $n % 4 === 3 ? $parent : 0, 'comment_status' => 'closed']);
            $parent = $n % 4 === 0 ? $id : $parent;
            if ($n < 5) {
                add_menu_item($d['title'], get_permalink($id));
            }
        }
        $all = get_posts(['post_type' => 'page', 'numberposts' => -1]);
        $links = implode('', array_map(fn($p) => '<li><a href="' . get_permalink($p) . '">' . $p->post_title . '</a></li>', $all));
        wp_insert_post(['post_title' => 'Site map', 'post_name' => 'overview', 'post_content' => "<ul>$links</ul>", 'post_status' => 'publish', 'post_type' => 'page', 'post_author' => 1]);
        add_menu_item('Site map', home_url('/overview/'));
        put_menu();
        break;
    case 'comments':
        foreach (get_posts(['numberposts' => 5]) as $i => $p) {
            add_comments($p->ID, $data[$i % count($data)]['comments']);
        }
        break;
    case 'menu':
        add_menu_item($data['title'], $data['url']);
        break;
    case 'theme':
        switch_theme($argument);
        put_menu();
        break;
}
