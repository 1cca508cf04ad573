package io.viaduct.testbed.call;

import io.viaduct.testbed.call.Audio.Packet;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// One direction of a call's audio, which taps of packets watch at both ends: RTP (RFC 3550) of
/// PCMU in IPv4 and UDP. Keeps all packets, of ten minutes at most, after which the numbers of RTP
/// would wrap. Thread-safe.
final class AudioWay {
  private static final int UDP = 17;
  private static final int UDP_HEADER = 8;
  private static final int RTP_HEADER = 12;
  private static final int VERSION_2 = 0x80;
  private static final int PCMU = 0;
  private static final int SOURCE = 12; // offsets in the header of IPv4
  private static final int DESTINATION = 16;

  /// G.711 writes silence as one of these octets.
  private static final Set<Byte> SILENCE = Set.of((byte) 0xff, (byte) 0x7f);

  private final byte[] from;
  private final byte[] to;
  private final LongSupplier nanoTime;
  private final Map<Integer, Long> sentNs = new HashMap<>(); // from here on guarded by this
  private final Map<Integer, Arrival> arrivals = new HashMap<>();
  private @Nullable Integer first; // sequences are relative to it

  private record Arrival(long atNs, boolean hasSound) {}

  /// @param from address of the sender at the first tap
  /// @param to address of the receiver at the other tap
  AudioWay(String from, String to, LongSupplier nanoTime) {
    this.from = InetAddress.ofLiteral(from).getAddress();
    this.to = InetAddress.ofLiteral(to).getAddress();
    this.nanoTime = nanoTime;
  }

  /// Sees a packet at the sender. Returns true if it belongs to this direction.
  boolean departs(byte[] packet) {
    int rtp = audio(packet, SOURCE, from);
    return rtp > 0 && seen(packet, rtp, false);
  }

  /// Sees a packet at the receiver. Returns true if it belongs to this direction.
  boolean arrives(byte[] packet) {
    int rtp = audio(packet, DESTINATION, to);
    return rtp > 0 && seen(packet, rtp, true);
  }

  /// Returns the offset of RTP; -1 if the packet is none, or of another address.
  private static int audio(byte[] packet, int offset, byte[] address) {
    int header = packet.length > 20 && packet[0] >>> 4 == 4 ? (packet[0] & 15) * 4 : packet.length;
    int rtp = header + UDP_HEADER;
    return rtp + RTP_HEADER < packet.length
            && packet[9] == UDP
            && Arrays.equals(packet, offset, offset + 4, address, 0, 4)
            && (packet[rtp] & 0xc0) == VERSION_2
            && (packet[rtp + 1] & 0x7f) == PCMU
        ? rtp
        : -1;
  }

  private synchronized boolean seen(byte[] packet, int rtp, boolean isArrival) {
    long nowNs = nanoTime.getAsLong();
    int number = ByteBuffer.wrap(packet).getShort(rtp + 2) & 0xffff;
    if (first == null) {
      first = number;
    }
    int sequence = (short) (number - first);
    if (isArrival) {
      arrivals.putIfAbsent(sequence, new Arrival(nowNs, hasSound(packet, rtp + RTP_HEADER)));
    } else {
      sentNs.putIfAbsent(sequence, nowNs);
    }
    return true;
  }

  private static boolean hasSound(byte[] packet, int from) {
    for (int i = from; i < packet.length; i++) {
      if (!SILENCE.contains(packet[i])) {
        return true;
      }
    }
    return false;
  }

  /// Returns the audio that has arrived in `[fromNs, untilNs)`. A packet whose departure was not
  /// seen does not count.
  synchronized Audio between(long fromNs, long untilNs) {
    List<Packet> all = new ArrayList<>();
    arrivals.forEach((sequence, arrival) -> {
      Long sent = sentNs.get(sequence);
      if (sent != null && arrival.atNs() - untilNs < 0) {
        all.add(new Packet(sequence, sent, arrival.atNs(), arrival.hasSound()));
      }
    });
    all.sort(Comparator.comparingLong(packet -> packet.arrivedNs() - fromNs));
    int begin = (int) all.stream().filter(packet -> packet.arrivedNs() - fromNs < 0).count();
    return new Audio(
        begin == 0 ? null : all.get(begin - 1), all.subList(begin, all.size()), untilNs);
  }
}
