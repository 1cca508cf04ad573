package io.viaduct.tunnel.dictionary;

import java.util.HexFormat;

/// Makes the examples of histories in docs/protocol.md.
public final class GoldenHistory {
  private static final int CONTENT_BYTES = 4_096;

  private GoldenHistory() {}

  /// Returns context 3, epoch 300, made of the datagrams 0x1_0000_0100 … 0x1_0000_0200 without two
  /// gaps.
  public static EpochAnnouncement announcement() {
    EpochAnnouncement a = new EpochAnnouncement();
    a.context = 3;
    a.epoch = 300;
    a.lastLow = 0x200;
    a.span = 0x100;
    a.hash = 0x0102030405060708L;
    a.gaps = 2;
    a.gapAt[0] = 5;
    a.gapLength[0] = 1;
    a.gapAt[1] = 16;
    a.gapLength[1] = 200;
    return a;
  }

  /// Returns content whose byte i is 32 + (i · i / 8 mod 61) · (1 + i mod 3) mod 90.
  static byte[] content() {
    byte[] content = new byte[CONTENT_BYTES];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (32 + i * i / 8 % 61 * (1 + i % 3) % 90);
    }
    return content;
  }

  public static String dictionaryHash() {
    byte[] dictionary = Dictionaries.of(content(), CONTENT_BYTES);
    return HexFormat.of().toHexDigits(ReceiveContext.hash(dictionary, dictionary.length));
  }

  /// Returns bytes 1000 … 1099 and 3000 … 3099 of the content, as a block of context 5, epoch 6,
  /// that enters the history.
  public static String zstdBody() {
    byte[] raw = new byte[200];
    System.arraycopy(content(), 1_000, raw, 0, 100);
    System.arraycopy(content(), 3_000, raw, 100, 100);
    SendDictionary dictionary =
        Dictionaries.sending(6, Dictionaries.of(content(), CONTENT_BYTES), 6);
    byte[] to = new byte[ZstdBlocks.bound(raw.length)];
    try (ZstdBlocks zstd = new ZstdBlocks()) {
      int bytes = zstd.compress(raw, 0, raw.length, dictionary, to);
      int at = ZstdBlocks.payloadAt(raw.length);
      zstd.forget(dictionary);
      return "5800c80506" + HexFormat.of().formatHex(to, at, at + bytes);
    } finally {
      dictionary.free();
    }
  }
}
