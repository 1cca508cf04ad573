package io.viaduct.tunnel.compound;

/// Constants of the record layer. Normative: docs/protocol.md "Records". `| kind (3) | last (1) |
/// ecn (2) | generation (2) |`
public final class Record {
  public static final int CONTROL = 0;
  public static final int OPEN = 1;
  public static final int UDP = 2;
  public static final int TCP = 3;
  public static final int IP = 4;
  public static final int RAW = 5;

  /// The record runs to the end of its block and has no length field.
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

  static final int MASK_TIMESTAMPS = 0x01;
  static final int MASK_URGENT = 0x02;
  static final int MASK_OPTIONS = 0x04;
  static final int MASK_AE = 0x08;
  static final int MASK_SEGMENTED = 0x10;

  /// Least of the segments of one record, but the last: so that no record makes the other end's
  /// kernel cut thousands.
  public static final int SEGMENT_BYTES_MIN = 256;

  /// The ecn bits of an OPEN, whose packet has its own: whether it installs its context.
  static final int INSTALL = 0;

  static final int DO_NOT_INSTALL = 1;

  /// A block that carries one STAMP: descriptor, length, subtype, time.
  public static final int STAMP_BLOCK_BYTES = 1 + 2 + 1 + 4;

  /// Most that a record adds to an inner packet: kind, flow, application, length.
  static final int OVERHEAD_MAX = 1 + 3 + 1 + 3;

  /// Block descriptor `| M | codec (2) | D | H | 0 0 0 |`.
  static final int MORE = 0x80;

  static final int LZ4 = 0x20;
  static final int ZSTD = 0x40;
  static final int CODEC = 0x60;

  /// The block is one of a history context, which follows with the epoch it was compressed with.
  static final int CONTEXT = 0x10;

  /// Its plain text enters the history.
  static final int ENTERS = 0x08;

  static final int DESCRIPTOR_RESERVED = 0x07;

  private Record() {}

  static int first(int kind, int ecn, int generation) {
    return kind << 5 | ecn << 2 | generation;
  }
}
