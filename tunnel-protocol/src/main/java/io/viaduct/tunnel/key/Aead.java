package io.viaduct.tunnel.key;

/// Authenticated encryption over arrays. Not thread-safe; one per event loop and algorithm.
public interface Aead {
  /// Result of [#open] for a tag that does not verify.
  int BAD_TAG = -1;

  /// Seals `length` bytes; `out` gets 16 bytes more. `in` and `out` do not overlap.
  void seal(
      EpochKey key,
      long sequence,
      byte[] header,
      int headerAt,
      int headerBytes,
      byte[] in,
      int inAt,
      int length,
      byte[] out,
      int outAt);

  /// Opens `length` bytes, tag included.
  ///
  /// @return bytes of plain text, or [#BAD_TAG]; then `out` holds nothing of use
  int open(
      EpochKey key,
      long sequence,
      byte[] header,
      int headerAt,
      int headerBytes,
      byte[] in,
      int inAt,
      int length,
      byte[] out,
      int outAt);
}
