package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.EnglishText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/// Kinds of payload. Messages follow each other and are cut to the packet's size. RTP and TLS
/// packets each begin with their own header. The same seed gives the same bytes.
enum PayloadKind {
  TEXT(PayloadKind::text),
  JSON(seed -> messages(seed, PayloadKind::json)),
  DNS(seed -> messages(seed, PayloadKind::dns)),
  SIP(seed -> messages(seed, PayloadKind::sip)),
  RTP(PayloadKind::rtp),
  RANDOM(PayloadKind::random),
  TLS(PayloadKind::tls);

  private static final int STREAM_BYTES = 4 << 20;
  private static final int STREAM_PART_BYTES = 16 * 1024; // the longest record of TLS

  /// An endless stream of payloads. For one thread.
  @FunctionalInterface
  interface Payloads {
    void fill(byte[] packet);
  }

  private final LongFunction<Payloads> source;

  PayloadKind(LongFunction<Payloads> source) {
    this.source = source;
  }

  Payloads from(long seed) {
    return source.apply(seed);
  }

  /// Returns a part of the byte stream that is longer than any history, so that a repeated part is
  /// still new to the tunnel.
  byte[] stream(long seed) {
    var all = new byte[STREAM_BYTES];
    var part = new byte[STREAM_PART_BYTES];
    Payloads payloads = from(seed);
    for (int at = 0; at < all.length; at += part.length) {
      payloads.fill(part);
      System.arraycopy(part, 0, all, at, part.length);
    }
    return all;
  }

  /// Returns true if the payload cannot be compressed.
  boolean isIncompressible() {
    return this == RANDOM || this == TLS;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static Payloads text(long seed) {
    var text = new EnglishText(seed);
    return text::fill;
  }

  private static Payloads random(long seed) {
    var random = new SplittableRandom(seed);
    return random::nextBytes;
  }

  /// Makes application data records of TLS 1.2 and 1.3 (RFC 8446, section 5.1). All bytes after the
  /// header of five bytes are random.
  private static Payloads tls(long seed) {
    var random = new SplittableRandom(seed);
    return packet -> {
      random.nextBytes(packet);
      ByteBuffer.wrap(packet)
          .put((byte) 23)
          .putShort((short) 0x0303)
          .putShort((short) (packet.length - 5));
    };
  }

  /// Makes RTP packets: the header of RFC 3550, then samples like a codec's. Neighbouring samples
  /// are similar, and the last bits are noise.
  private static Payloads rtp(long seed) {
    var random = new SplittableRandom(seed);
    int source = random.nextInt();
    int[] sequence = {random.nextInt(1 << 16), random.nextInt(1 << 30)};
    return packet -> {
      ByteBuffer header = ByteBuffer.wrap(packet);
      header.putShort((short) 0x8000).putShort((short) sequence[0]++);
      header.putInt(sequence[1]).putInt(source);
      sequence[1] += packet.length - header.position();
      int level = 128;
      while (header.hasRemaining()) {
        level = Math.clamp(level + random.nextInt(-12, 13), 0, 255);
        header.put((byte) level);
      }
    };
  }

  private static Payloads messages(long seed, Function<SplittableRandom, byte[]> message) {
    var random = new SplittableRandom(seed);
    Supplier<ByteBuffer> next = () -> ByteBuffer.wrap(message.apply(random));
    ByteBuffer[] rest = {next.get()};
    return packet -> {
      for (int at = 0; at < packet.length; ) {
        if (!rest[0].hasRemaining()) {
          rest[0] = next.get();
        }
        int count = Math.min(packet.length - at, rest[0].remaining());
        rest[0].get(packet, at, count);
        at += count;
      }
    };
  }

  private static String pick(SplittableRandom random, String... words) {
    return words[random.nextInt(words.length)];
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Returns a request to a web interface with its response.
  private static byte[] json(SplittableRandom random) {
    var user = Long.toUnsignedString(random.nextLong(), 36);
    String body =
        """
        {"id":"%s","status":"%s","amount":{"value":%d,"currency":"%s"},"updatedAt":"2026-11-%02dT%02d:%02d:%02d.%03dZ","items":[{"sku":"%d","quantity":%d,"price":%d.%02d}],"links":{"self":"/api/v2/orders/%s"}}\
        """
            .formatted(
                user,
                pick(random, "pending", "paid", "shipped", "cancelled"),
                random.nextInt(100_000),
                pick(random, "EUR", "USD", "CHF"),
                1 + random.nextInt(30),
                random.nextInt(24),
                random.nextInt(60),
                random.nextInt(60),
                random.nextInt(1000),
                random.nextInt(1_000_000),
                1 + random.nextInt(9),
                random.nextInt(500),
                random.nextInt(100),
                user);
    return bytes(
        """
        GET /api/v2/orders/%s HTTP/1.1\r
        Host: api.example.com\r
        Accept: application/json\r
        \r
        HTTP/1.1 200 OK\r
        Content-Type: application/json\r
        Content-Length: %d\r
        \r
        %s\
        """
            .formatted(user, body.length(), body));
  }

  /// Returns a DNS query for an address with its response (RFC 1035, section 4).
  private static byte[] dns(SplittableRandom random) {
    String host = pick(random, "www", "api", "cdn", "mail", "img" + random.nextInt(20));
    String domain =
        pick(random, "example", "weather", "news", "shop", "video")
            + (random.nextInt(3) == 0 ? random.nextInt(100) : "");
    byte[] name =
        bytes("%c%s%c%s%ccom%c".formatted(host.length(), host, domain.length(), domain, 3, 0));
    short id = (short) random.nextInt(1 << 16);
    ByteBuffer both = ByteBuffer.allocate(2 * (12 + name.length + 4) + 16);
    question(both, id, 0x0100, 0, name);
    question(both, id, 0x8180, 1, name);
    both.putShort((short) 0xc00c).putShort((short) 1).putShort((short) 1);
    both.putInt(60 * (1 + random.nextInt(10))).putShort((short) 4);
    both.putInt(random.nextInt());
    return both.array();
  }

  private static void question(ByteBuffer to, short id, int flags, int answers, byte[] name) {
    to.putShort(id).putShort((short) flags).putShort((short) 1).putShort((short) answers);
    to.putInt(0).put(name).putShort((short) 1).putShort((short) 1);
  }

  /// Returns a request of a call setup (RFC 3261, section 24.2).
  private static byte[] sip(SplittableRandom random) {
    String from = pick(random, "alice", "bob", "carol", "dave", "user" + random.nextInt(1000));
    String to = pick(random, "alice", "bob", "carol", "dave", "user" + random.nextInt(1000));
    return bytes(
        """
        %1$s sip:%3$s@ims.test SIP/2.0\r
        Via: SIP/2.0/UDP 192.0.2.%4$d:5060;branch=z9hG4bK%5$x\r
        Max-Forwards: 70\r
        To: <sip:%3$s@ims.test>\r
        From: <sip:%2$s@ims.test>;tag=%6$x\r
        Call-ID: %7$x@192.0.2.%4$d\r
        CSeq: %8$d %1$s\r
        Contact: <sip:%2$s@192.0.2.%4$d:5060>\r
        User-Agent: viaduct\r
        Content-Length: 0\r
        \r
        """
            .formatted(
                pick(random, "INVITE", "REGISTER", "OPTIONS", "MESSAGE"),
                from,
                to,
                1 + random.nextInt(254),
                random.nextLong(),
                random.nextInt(),
                random.nextLong(),
                1 + random.nextInt(1000)));
  }
}
