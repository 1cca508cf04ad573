package io.viaduct.tunnel.wire;

import org.jspecify.annotations.Nullable;

/// Body of a PATH datagram, big-endian. Normative: docs/protocol.md "PATH".
public sealed interface PathMessage {
  int BYTES_MAX = 60;

  /// Path id in a message of a session with one path, which does not name it.
  int NO_PATH = -1;

  /// Count of sent bytes in a message of a session with one path, which does not name it.
  long NO_COUNT = -1;

  /// Request of the prober for a reply, from which it computes the round trip. Also tells the peer
  /// the prober's estimates.
  ///
  /// @param t1Us the prober's clock
  /// @param offsetUs the peer's clock minus the prober's, [#OFFSET_UNKNOWN] while unknown
  /// @param path id of the path that the probe is sent by, 0 … 7; [#NO_PATH] in a session with one
  ///   path
  /// @param used set of the paths that carry data, bit 0 for path 0; 0 with NO_PATH
  /// @param spare set of those that carry data only while no other path works
  /// @param link name of the prober's link on the path, or [LinkName#UNKNOWN]; null if the probe
  ///   does not tell it
  /// @param shared what the prober has measured on the path; null without the feature MEASUREMENTS
  record Probe(
      int number,
      long t1Us,
      long offsetUs,
      int roundTripUs,
      int path,
      int used,
      int spare,
      @Nullable String link,
      @Nullable PathMeasurement shared)
      implements PathMessage {}

  /// Reply to a [Probe].
  ///
  /// @param t2Us arrival of the probe at the responder
  /// @param t3Us departure of the reply from the responder
  /// @param sentBytes bytes of outer IP packets that the responder sent by this path before, low 32
  ///   bits; [#NO_COUNT] in a session with one path
  record ProbeReply(int number, long t1Us, long t2Us, long t3Us, long sentBytes)
      implements PathMessage {
    /// Bytes of the longest such message: that of a session with several paths.
    public static final int BYTES_MAX = 33;
  }

  /// Path challenge with a random 64-bit number. The peer must send it back in a [Response].
  record Challenge(long nonce) implements PathMessage {
    /// Bytes of the message.
    public static final int BYTES = 1 + Long.BYTES;
  }

  /// Answer to a [Challenge].
  ///
  /// @param path id of the path that the challenge came by; [#NO_PATH] in a session with one path
  record Response(long nonce, int path) implements PathMessage {}

  /// Probe of the path MTU, padded until its outer IP packet has `size` bytes.
  ///
  /// @param run number of the prober's search. An answer to an earlier search says nothing about
  ///   this path.
  record MtuProbe(int run, int size) implements PathMessage {}

  /// Confirmation that an [MtuProbe] has arrived.
  record MtuAck(int run, int size) implements PathMessage {
    /// Bytes of the message.
    public static final int BYTES = 5;
  }

  /// Request of the agent to send the session's datagrams by the carrier that brought this message.
  ///
  /// @param control true for the control connection, false for UDP
  record CarryBy(boolean control) implements PathMessage {}

  /// Report of the receiver about arrived datagrams.
  ///
  /// @param timeUs the receiver's clock, low 32 bits
  /// @param bytes sum of outer IP packets since the session began, low 32 bits
  /// @param delayUs least one-way delay since the last receipt, not corrected by the offset of the
  ///   clocks
  /// @param largest bytes of the largest outer IP packet since the last receipt
  /// @param sentBytes as in [ProbeReply]
  record Receipt(int timeUs, int bytes, int delayUs, int largest, long sentBytes)
      implements PathMessage {
    /// Returns the receipt with the count of sent bytes, which is set when it leaves.
    public Receipt counting() {
      return new Receipt(timeUs, bytes, delayUs, largest, 0);
    }
  }

  long OFFSET_UNKNOWN = Long.MIN_VALUE;

  /// Sets the values of a written message that are known only when it leaves: the time of a
  /// [ProbeReply], and the count of sent bytes where the message has one.
  ///
  /// @param message as [#write] has written it
  /// @param nowUs the sender's clock
  /// @param sentBytes bytes of outer IP packets that were sent by the path before
  static void leaves(byte[] message, int length, long nowUs, long sentBytes) {
    if (message[0] == 1) {
      BigEndian.putLong(message, 21, nowUs);
    }
    if (message[0] == 1 && length == 33 || message[0] == 7 && length == 19) {
      BigEndian.putInt(message, length - Integer.BYTES, (int) sentBytes);
    }
  }

  /// Writes the message without padding. @return the position behind it
  static int write(PathMessage message, byte[] to, int at) {
    switch (message) {
      case Probe p -> {
        to[at] = 0;
        BigEndian.putInt(to, at + 1, p.number);
        BigEndian.putLong(to, at + 5, p.t1Us);
        BigEndian.putLong(to, at + 13, p.offsetUs);
        BigEndian.putInt(to, at + 21, p.roundTripUs);
        if (p.path == NO_PATH) {
          return at + 25;
        }
        to[at + 25] = (byte) (p.link == null ? p.path : p.path | ProbeBody.NAMES_LINK);
        to[at + 26] = (byte) p.used;
        to[at + 27] = (byte) p.spare;
        int end = p.link == null ? at + 28 : LinkName.write(p.link, to, at + 28);
        return p.shared == null ? end : p.shared.write(to, end);
      }
      case ProbeReply r -> {
        return writeReply(r.number, r.t1Us, r.t2Us, r.t3Us, r.sentBytes, to, at);
      }
      case Challenge c -> {
        to[at] = 2;
        BigEndian.putLong(to, at + 1, c.nonce);
        return at + 9;
      }
      case Response r -> {
        to[at] = 3;
        BigEndian.putLong(to, at + 1, r.nonce);
        if (r.path == NO_PATH) {
          return at + 9;
        }
        to[at + 9] = (byte) r.path;
        return at + 10;
      }
      case MtuProbe p -> {
        return mtu(4, p.run, p.size, to, at);
      }
      case MtuAck a -> {
        return mtu(5, a.run, a.size, to, at);
      }
      case CarryBy c -> {
        to[at] = 6;
        to[at + 1] = (byte) (c.control ? 1 : 0);
        return at + 2;
      }
      case Receipt r -> {
        to[at] = 7;
        BigEndian.putInt(to, at + 1, r.timeUs);
        BigEndian.putInt(to, at + 5, r.bytes);
        BigEndian.putInt(to, at + 9, r.delayUs);
        BigEndian.putShort(to, at + 13, r.largest);
        return count(r.sentBytes, to, at + 15);
      }
    }
  }

  /// Writes a [ProbeReply] from its values. @return the position behind it
  static int writeReply(
      int number, long t1Us, long t2Us, long t3Us, long sentBytes, byte[] to, int at) {
    to[at] = 1;
    BigEndian.putInt(to, at + 1, number);
    BigEndian.putLong(to, at + 5, t1Us);
    BigEndian.putLong(to, at + 13, t2Us);
    BigEndian.putLong(to, at + 21, t3Us);
    return count(sentBytes, to, at + 29);
  }

  private static int count(long sentBytes, byte[] to, int at) {
    if (sentBytes == NO_COUNT) {
      return at;
    }
    BigEndian.putInt(to, at, (int) sentBytes);
    return at + 4;
  }

  private static long count(byte[] from, int at, boolean present) {
    return present ? Integer.toUnsignedLong(BigEndian.getInt(from, at)) : NO_COUNT;
  }

  private static int mtu(int kind, int run, int size, byte[] to, int at) {
    to[at] = (byte) kind;
    BigEndian.putShort(to, at + 1, run);
    BigEndian.putShort(to, at + 3, size);
    return at + 5;
  }

  /// Reads a message. @return null if the bytes are no path message of this version
  static @Nullable PathMessage read(byte[] from, int at, int length) {
    if (length < 1) {
      return null;
    }
    return switch (from[at]) {
      case ProbeBody.KIND -> probe(from, at, length);
      case 1 ->
          length == 29 || length == 33
              ? new ProbeReply(
                  BigEndian.getInt(from, at + 1),
                  BigEndian.getLong(from, at + 5),
                  BigEndian.getLong(from, at + 13),
                  BigEndian.getLong(from, at + 21),
                  count(from, at + 29, length == 33))
              : null;
      case 2 -> length == 9 ? new Challenge(BigEndian.getLong(from, at + 1)) : null;
      case 3 ->
          length == 9 || length == 10
              ? new Response(
                  BigEndian.getLong(from, at + 1), length == 9 ? NO_PATH : from[at + 9] & 0xFF)
              : null;
      case 4 ->
          length >= 5
              ? new MtuProbe(BigEndian.getShort(from, at + 1), BigEndian.getShort(from, at + 3))
              : null;
      case 5 ->
          length == 5
              ? new MtuAck(BigEndian.getShort(from, at + 1), BigEndian.getShort(from, at + 3))
              : null;
      case 6 -> length == 2 && (from[at + 1] & ~1) == 0 ? new CarryBy(from[at + 1] == 1) : null;
      case 7 ->
          length == 15 || length == 19
              ? new Receipt(
                  BigEndian.getInt(from, at + 1),
                  BigEndian.getInt(from, at + 5),
                  BigEndian.getInt(from, at + 9),
                  BigEndian.getShort(from, at + 13),
                  count(from, at + 15, length == 19))
              : null;
      default -> null;
    };
  }

  private static @Nullable Probe probe(byte[] from, int at, int length) {
    var probe = new ProbeBody();
    return probe.wrap(from, at, length) ? probe.message() : null;
  }
}
