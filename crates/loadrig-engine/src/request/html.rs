//! Values in pages of HTML, found by selectors of CSS.
//!
//! A page is read as browsers read it, and to the end, however wrong it is. Bounds keep a hostile page from more
//! than some seconds and megabytes; what goes beyond them is no page to take values from.

use crate::config::{Refusal, quoted};
use cssparser::ParseErrorKind;
use ego_tree::iter::Edge;
use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, driver, tree_builder::TreeBuilderOpts};
use scraper::selector::{Parser, Simple};
use scraper::{ElementRef, Html, HtmlTreeSink, Node};
use selectors::matching::{self, MatchingContext, SelectorCaches};
use selectors::parser::{ParseRelative, SelectorList};
use std::time::{Duration, Instant};

/// Selectors of CSS, any of which will do.
pub(super) type Selectors = SelectorList<Simple>;

/// Bytes of a page that are read before the bounds are looked at. So small that the worst of so many tags,
/// which open all elements of [`MOST_DEPTH`] anew, add less than twice the nodes of [`MOST_NODES`].
const CHUNK: usize = 1024;

/// Elements and texts of a page. The longest pages of shops and tables have some ten thousand.
const MOST_NODES: usize = 100_000;

/// Elements within each other; pages of many menus have some fifty. Browsers end at 512, but a selector is tried
/// at each depth for each of its parts.
const MOST_DEPTH: usize = 256;

/// Time to read a page, and again to search it; to read 8 MiB of text takes a sixth of it. To read attributes
/// that are all different takes the square of their number, as does a search for siblings.
const MOST_TIME: Duration = Duration::from_secs(1);

/// Bytes of a selector: to look for it takes a piece of the stack for each of its parts.
const MOST_SELECTOR: usize = 1_000;

/// Elements that stand on lines of their own, so that their texts do not touch others.
/// Source: the blocks of jsoup's `Tag`, by which `JMeter` takes texts, and `br`.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "ins",
    "li",
    "main",
    "menu",
    "nav",
    "noscript",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Reason why a body is no page that values are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum PageFault {
    /// More than [`MOST_NODES`].
    #[error("the page has more than {MOST_NODES} elements and texts")]
    Large,
    /// More than [`MOST_DEPTH`].
    #[error("the page has elements that lie more than {MOST_DEPTH} deep within each other")]
    Deep,
    /// Longer than [`MOST_TIME`].
    #[error("the page took more than a second to read or to search")]
    Slow,
}

/// Reads a page. What is no UTF-8 in it is read as U+FFFD.
pub(super) fn page(body: &[u8]) -> Result<Html, PageFault> {
    // Without scripts, as loadrig runs none: then `noscript` has elements.
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let mut parser = driver::parse_document(HtmlTreeSink::new(Html::new_document()), options);
    let begin = Instant::now();
    let text = String::from_utf8_lossy(body);
    let mut rest = &*text;
    let mut nodes = 0;
    while !rest.is_empty() {
        let boundary = (CHUNK.min(rest.len())..rest.len()).find(|end| rest.is_char_boundary(*end));
        let (chunk, more) = rest.split_at(boundary.unwrap_or(rest.len()));
        rest = more;
        parser.process(chunk.into());
        let html = parser.tokenizer.sink.sink.0.borrow();
        let mut new = html.tree.nodes();
        let count = new.len();
        if count > MOST_NODES {
            return Err(PageFault::Large);
        }
        // From the last: a parser moves elements, but never makes their number smaller.
        let is_deep = (nodes..count)
            .any(|_| new.next_back().is_some_and(|node| node.ancestors().nth(MOST_DEPTH).is_some()));
        if is_deep {
            return Err(PageFault::Deep);
        }
        nodes = count;
        if begin.elapsed() > MOST_TIME {
            return Err(PageFault::Slow);
        }
    }
    Ok(parser.finish())
}

/// The element that is selected after `nth` others, in the order of the page.
pub(super) fn nth_selected<'a>(
    page: &'a Html,
    selectors: &Selectors,
    nth: usize,
) -> Result<Option<ElementRef<'a>>, PageFault> {
    let begin = Instant::now();
    let mut caches = SelectorCaches::default();
    let mut left = nth;
    for element in page.tree.root().descendants().filter_map(ElementRef::wrap) {
        let mut context = MatchingContext::new(
            matching::MatchingMode::Normal,
            None,
            &mut caches,
            matching::QuirksMode::NoQuirks,
            matching::NeedsSelectorFlags::No,
            matching::MatchingForInvalidation::No,
        );
        if matching::matches_selector_list(selectors, &element, &mut context) {
            if left == 0 {
                return Ok(Some(element));
            }
            left -= 1;
        }
        if begin.elapsed() > MOST_TIME {
            return Err(PageFault::Slow);
        }
    }
    Ok(None)
}

/// Compiles a selector.
pub(super) fn selectors(text: &str, place: &str) -> Result<Selectors, Refusal> {
    parsed(text).map_err(|reason| {
        Refusal::new(
            "engine.css",
            format!("{} is no selector of CSS: {reason}", quoted(text)),
            place,
            "write one like form#login input[name=\"csrf\"], with values in quotes",
        )
        .worded("no_selector", [("text", quoted(text)), ("reason", reason)])
    })
}

fn parsed(text: &str) -> Result<Selectors, String> {
    if text.len() > MOST_SELECTOR {
        return Err(format!("it is longer than {MOST_SELECTOR} bytes"));
    }
    SelectorList::parse(&Parser, &mut cssparser::Parser::new(text), ParseRelative::No).map_err(|error| {
        words(&match error.kind {
            ParseErrorKind::Basic(kind) => format!("{kind:?}"),
            ParseErrorKind::Custom(kind) => format!("{kind:?}"),
        })
    })
}

/// The words of a name that has them together, as `DanglingCombinator`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// Puts the text of an element into `out`: each white space is one blank, and blocks stand apart. Scripts and
/// styles within the element are no text.
pub(super) fn put_text(element: ElementRef<'_>, out: &mut Vec<u8>) {
    let mut text = String::new();
    let mut is_apart = false;
    for edge in element.traverse() {
        let (Edge::Open(node) | Edge::Close(node)) = edge;
        match node.value() {
            Node::Element(inner) => is_apart |= BLOCKS.contains(&inner.name()),
            Node::Text(piece) if matches!(edge, Edge::Open(_)) => {
                let parent = node.parent().and_then(ElementRef::wrap).filter(|parent| *parent != element);
                if parent.is_some_and(|parent| ["script", "style"].contains(&parent.value().name())) {
                    continue;
                }
                for letter in piece.chars() {
                    if letter.is_whitespace() {
                        is_apart = true;
                        continue;
                    }
                    if std::mem::take(&mut is_apart) && !text.is_empty() {
                        text.push(' ');
                    }
                    text.push(letter);
                }
            }
            _ => {}
        }
    }
    out.extend_from_slice(text.as_bytes());
}
