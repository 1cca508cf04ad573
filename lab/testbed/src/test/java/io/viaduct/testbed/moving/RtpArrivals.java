package io.viaduct.testbed.moving;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/// Watches the audio that arrives at a device: RTP (RFC 3550) of PCMU in IPv4 and UDP, to one
/// address. Sees each packet of a tap. Thread-safe.
final class RtpArrivals implements Predicate<byte[]> {
  private static final int UDP = 17;
  private static final int UDP_HEADER = 8;
  private static final int RTP_HEADER = 12;
  private static final int VERSION_2 = 0x80;
  private static final int PCMU = 0;

  /// G.711 writes silence as one of these octets.
  private static final Set<Byte> SILENCE = Set.of((byte) 0xff, (byte) 0x7f);

  private final byte[] to;
  private final SortedSet<Short> sequences = new TreeSet<>(); // from here on guarded by this
  private int first; // sequences are relative to it, because they wrap
  private long lastNs;
  private long gapNs;
  private int audible;

  /// The audio since the last look.
  ///
  /// @param packets different ones
  /// @param lost packets between the first and the last that have not come
  /// @param audible packets with more than silence
  /// @param gapMs longest time without one
  record Seen(int packets, int lost, int audible, double gapMs) {}

  RtpArrivals(String to) {
    this.to = InetAddress.ofLiteral(to).getAddress();
  }

  @Override
  public boolean test(byte[] packet) {
    int header = packet.length > 20 && packet[0] >>> 4 == 4 ? (packet[0] & 15) * 4 : packet.length;
    int rtp = header + UDP_HEADER;
    if (rtp + RTP_HEADER >= packet.length
        || packet[9] != UDP
        || !Arrays.equals(packet, 16, 20, to, 0, 4)
        || (packet[rtp] & 0xc0) != VERSION_2
        || (packet[rtp + 1] & 0x7f) != PCMU) {
      return false;
    }
    boolean hasSound = false;
    for (int i = rtp + RTP_HEADER; i < packet.length && !hasSound; i++) {
      hasSound = !SILENCE.contains(packet[i]);
    }
    arrived(ByteBuffer.wrap(packet).getShort(rtp + 2) & 0xffff, hasSound, System.nanoTime());
    return true;
  }

  private synchronized void arrived(int sequence, boolean hasSound, long nowNs) {
    if (lastNs != 0) {
      gapNs = Math.max(gapNs, nowNs - lastNs);
    }
    lastNs = nowNs;
    if (sequences.isEmpty()) {
      first = sequence;
    }
    if (sequences.add((short) (sequence - first)) && hasSound) {
      audible++;
    }
  }

  /// Returns what has come since the last look; the time since the last packet counts as a gap.
  synchronized Seen look(long nowNs) {
    int span = sequences.isEmpty() ? 0 : sequences.last() - sequences.first() + 1;
    long since = lastNs == 0 ? 0 : nowNs - lastNs;
    Seen seen =
        new Seen(sequences.size(), span - sequences.size(), audible, Math.max(gapNs, since) / 1e6);
    sequences.clear();
    gapNs = 0;
    audible = 0;
    return seen;
  }
}
