//! Real files compiled, and methods found in them.

use loadrig_protos::{Method, MethodError, compile, method};
use std::path::{Path, PathBuf};

const SHOP: &str = r#"syntax = "proto3";
package shop.v1;
import "common/money.proto";
import "google/protobuf/timestamp.proto";
message Ask { string id = 1; google.protobuf.Timestamp since = 2; }
message Price { common.Money money = 1; }
service Prices {
  rpc Get(Ask) returns (Price);
  rpc Watch(Ask) returns (stream Price);
  rpc Put(stream Price) returns (Ask);
}
"#;

const MONEY: &str = r#"syntax = "proto3";
package common;
message Money { string currency = 1; int64 units = 2; }
"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder of our own");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("below the folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Compiles these files, with the folder and some below it to look for imports.
    fn compiled(&self, files: &[&str], includes: &[&str]) -> Result<Vec<u8>, String> {
        let files: Vec<_> = files.iter().map(|name| self.path(name)).collect();
        let includes: Vec<_> = includes.iter().map(|name| self.path(name)).collect();
        compile(&files, &includes).map_err(|error| error.to_string())
    }

    fn refused(&self, files: &[&str], includes: &[&str]) -> String {
        let error = self.compiled(files, includes).expect_err("the files are wrong");
        error.replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn shop() -> Folder {
    Folder::with(&[("protos/shop.proto", SHOP), ("protos/common/money.proto", MONEY)])
}

fn shop_set() -> Vec<u8> {
    shop().compiled(&["protos/shop.proto"], &["protos"]).expect("the files are right")
}

#[test]
fn a_method_is_found_by_its_path() {
    let wanted = Method { input: "shop.v1.Ask".to_owned(), output: "shop.v1.Price".to_owned() };
    let set = shop_set();
    assert_eq!(method(&set, "shop.v1.Prices/Get").as_ref(), Ok(&wanted));
    assert_eq!(method(&set, "/shop.v1.Prices/Get"), Ok(wanted));
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    let set = shop_set();
    let told = |path| method(&set, path).expect_err("no such method").to_string();
    assert_eq!(told("shop.Prices/Get"), "there is no service shop.Prices; there is shop.v1.Prices");
    assert_eq!(
        told("shop.v1.Prices/get"),
        "the service shop.v1.Prices has no method get; it has Get, Put, Watch"
    );
    assert_eq!(
        told("shop.v1.Prices.Get"),
        "\"shop.v1.Prices.Get\" is no method: write package.Service/Method"
    );
    assert!(matches!(method(b"\xff", "a/b"), Err(MethodError::Set(_))));
}

#[test]
fn a_method_that_streams_is_refused() {
    let set = shop_set();
    for (name, what) in [("Watch", "answers"), ("Put", "requests")] {
        let path = format!("shop.v1.Prices/{name}");
        assert_eq!(method(&set, &path), Err(MethodError::Streams(path.clone(), what)));
    }
}

#[test]
fn a_set_has_all_that_its_files_import() {
    let pool = prost_reflect::DescriptorPool::decode(shop_set().as_slice()).expect("a whole set");
    assert!(pool.get_message_by_name("common.Money").is_some());
    assert!(pool.get_message_by_name("google.protobuf.Timestamp").is_some());
}

#[test]
fn a_file_that_another_one_imports_may_be_named_too_in_any_order() {
    let folder = shop();
    // Seen from the second folder, money.proto would have another name than shop.proto gives it.
    let includes = ["protos/common", "protos"];
    let both = ["protos/shop.proto", "protos/common/money.proto"];
    let set = folder.compiled(&both, &includes).expect("any order will do");
    assert_eq!(folder.compiled(&[both[1], both[0]], &includes), Ok(set));
}

#[test]
fn what_is_wrong_is_told_with_file_line_and_column() {
    let wrong = |text: &str| {
        let folder = Folder::with(&[("protos/a.proto", text)]);
        folder.refused(&["protos/a.proto"], &["protos"])
    };
    let syntax = wrong("syntax = \"proto3\";\nmessage A {\n  string id 1;\n}\n");
    assert!(syntax.starts_with("protos/a.proto:3:13: expected"), "{syntax}");
    let unknown = wrong("syntax = \"proto3\";\nmessage A {\n  Money price = 1;\n}\n");
    assert!(unknown.starts_with("protos/a.proto:3:3: "), "{unknown}");
    assert!(unknown.contains("Money"), "{unknown}");
    let import = wrong("syntax = \"proto3\";\nimport \"b.proto\";\n");
    assert!(import.starts_with("protos/a.proto:2:") && import.contains("b.proto"), "{import}");
}

#[test]
fn an_error_in_an_import_is_told_where_it_is() {
    let folder = Folder::with(&[("protos/shop.proto", SHOP), ("protos/common/money.proto", "message")]);
    let told = folder.refused(&["protos/shop.proto"], &["protos"]);
    assert!(told.starts_with("protos/common/money.proto:1:8: "), "{told}");
}

#[test]
fn a_file_that_is_not_there_or_not_below_a_folder_is_told() {
    let folder = shop();
    let told = folder.refused(&["protos/nope.proto"], &["protos"]);
    assert!(told.starts_with("protos/nope.proto: ") && told.contains("No such file"), "{told}");
    let told = folder.refused(&["protos/shop.proto"], &["protos/common"]);
    assert!(told.starts_with("protos/shop.proto: "), "{told}");
    assert!(compile(&[], &[Path::new("/nowhere").to_owned()]).is_ok_and(|set| set.is_empty()));
}
