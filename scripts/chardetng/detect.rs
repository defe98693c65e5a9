//! chardetng behind two functions. The caller writes a text and the top-level domain it came from, one after the
//! other, to the address that `input` answers, calls `guess` with both lengths, and finds the name of the encoding
//! where the text was. No allocator, no imports: one page in, one name out.
#![no_std]

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

const CAPACITY: usize = 65_536;
static mut INPUT: [u8; CAPACITY] = [0; CAPACITY];

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

#[no_mangle]
pub extern "C" fn input() -> *mut u8 {
    unsafe { INPUT.as_mut_ptr() }
}

/// The length of the name. An empty domain means that none is known.
#[no_mangle]
pub extern "C" fn guess(text: usize, domain: usize) -> usize {
    let input = unsafe { &mut INPUT };
    let name = {
        let (body, rest) = input.split_at(text);
        let known = if domain == 0 { None } else { Some(&rest[..domain]) };
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(body, true);
        // UTF-8 is recognised before, by validity.
        detector.guess(known, Utf8Detection::Deny).name()
    };
    input[..name.len()].copy_from_slice(name.as_bytes());
    name.len()
}
