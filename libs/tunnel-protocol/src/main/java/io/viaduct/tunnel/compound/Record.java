package io.viaduct.tunnel.compound;

/// Constants of the record layer. Normative: docs/protocol.md "Records". First byte: `| kind (3) |
/// last (1) | ecn (2) | generation (2) |`
public final class Record {
  public static final int CONTROL = 0;
  public static final int OPEN = 1;
  public static final int UDP = 2;
  public static final int TCP = 3;
  public static final int IP = 4;
  public static final int RAW = 5;
  public static final int NUMBERED = 6;

  /// Length of the number of a NUMBERED record. Numbers are compared modulo 2^24.
  public static final int NUMBER_BYTES = 3;

  /// Number of a record without one.
  public static final int NO_NUMBER = -1;

  /// Flag of a record that runs to the end of its block and has no length field.
  public static final int LAST = 0x10;

  public static final int STAMP = 0;
  public static final int FLOW_ACK = 1;
  public static final int FLOW_UNKNOWN = 2;
  public static final int FLOW_STATS = 3;
  public static final int FLOW_END = 4;
  public static final int PADDING = 5;
  public static final int EPOCH = 6;
  public static final int EPOCH_UNKNOWN = 7;
  public static final int INCOMPLETE = 8;
  public static final int FLOW_ROUTE = 9;
  public static final int FLOW_SPREAD = 10;
  public static final int FLOW_WAITED = 11;

  static final int MASK_TIMESTAMPS = 0x01;
  static final int MASK_URGENT = 0x02;
  static final int MASK_OPTIONS = 0x04;
  static final int MASK_AE = 0x08;
  static final int MASK_SEGMENTED = 0x10;

  /// Smallest segment size of one record, except for its last segment. Without it, one record could
  /// make the other end's kernel cut thousands of segments.
  public static final int SEGMENT_BYTES_MIN = 256;

  /// Value of the ecn bits of an OPEN that installs its context. The packet in it has ecn bits of
  /// its own.
  static final int INSTALL = 0;

  static final int DO_NOT_INSTALL = 1;

  /// Length of a block with one STAMP: descriptor, length, subtype, time.
  public static final int STAMP_BLOCK_BYTES = 1 + 2 + 1 + 4;

  /// Flags of the block descriptor `| M | codec (2) | D | H | 0 0 0 |`.
  static final int MORE = 0x80;

  static final int LZ4 = 0x20;
  static final int ZSTD = 0x40;
  static final int CODEC = 0x60;

  /// Flag of a block of a history context. The context's id and the epoch of the compression
  /// follow.
  static final int CONTEXT = 0x10;

  /// Flag of a block whose plain text enters the history.
  static final int ENTERS = 0x08;

  static final int DESCRIPTOR_RESERVED = 0x07;

  private Record() {}

  static int first(int kind, int ecn, int generation) {
    return kind << 5 | ecn << 2 | generation;
  }
}
