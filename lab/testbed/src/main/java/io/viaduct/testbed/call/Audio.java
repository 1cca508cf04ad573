package io.viaduct.testbed.call;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The audio that has arrived at one end of a call in a time. All times are on one clock.
///
/// @param before the last packet before that time; null without one
/// @param packets in the order of arrival, without copies
/// @param untilNs end of the time
public record Audio(@Nullable Packet before, List<Packet> packets, long untilNs) {
  /// Time of audio in one packet.
  public static final int PACKET_MS = 20;

  /// A playout buffer of this size begins to play when the fastest packet is so old.
  public static final int BUFFER_MS = 60;

  private static final double NS_PER_MS = 1e6;

  /// One packet of RTP.
  ///
  /// @param sequence number, without wraps
  /// @param hasSound true for more than silence
  public record Packet(int sequence, long sentNs, long arrivedNs, boolean hasSound) {
    double delayMs() {
      return (arrivedNs - sentNs) / NS_PER_MS;
    }
  }

  public Audio {
    packets = List.copyOf(packets);
  }

  /// Returns the longest time without a packet beyond the time of one. It counts up to the end, and
  /// leaves out the time in which the sender itself was late.
  public double gapMs() {
    double longest = 0;
    Packet last = before;
    for (Packet packet : packets) {
      longest = Math.max(longest, last == null ? 0 : gapMs(last, packet));
      last = packet;
    }
    double since = last == null ? 0 : (untilNs - last.arrivedNs()) / NS_PER_MS - PACKET_MS;
    return Math.max(longest, since);
  }

  private static double gapMs(Packet one, Packet next) {
    int packets = Math.max(0, next.sequence() - one.sequence());
    double sending = (next.sentNs() - one.sentNs()) / NS_PER_MS;
    double pause = packets == 0 ? 0 : Math.max(0, sending - packets * PACKET_MS);
    return (next.arrivedNs() - one.arrivedNs()) / NS_PER_MS - PACKET_MS - pause;
  }

  /// Returns how many packets between the first and the last one have not come.
  public int lost() {
    return span() - packets.size();
  }

  private int span() {
    int first = packets.stream().mapToInt(Packet::sequence).min().orElse(0);
    int last = packets.stream().mapToInt(Packet::sequence).max().orElse(-1);
    return last - first + 1;
  }

  /// Returns how many packets have come too late for a playout buffer of [#BUFFER_MS].
  public int late() {
    double limit = fastestMs() + BUFFER_MS;
    return (int) packets.stream().filter(packet -> packet.delayMs() > limit).count();
  }

  private double fastestMs() {
    return packets.stream().mapToDouble(Packet::delayMs).min().orElse(0);
  }

  /// Returns how many packets have more than silence.
  public int audible() {
    return (int) packets.stream().filter(Packet::hasSound).count();
  }

  /// Returns the median of the time that a packet travels, one way; NaN without a packet.
  public double delayMs() {
    double[] delays = packets.stream().mapToDouble(Packet::delayMs).toArray();
    Arrays.sort(delays);
    return delays.length == 0 ? Double.NaN : delays[delays.length / 2];
  }

  /// Returns the share of packets that the listener does not hear: lost and late ones.
  public double unheardPercent() {
    return packets.isEmpty() ? 100 : 100.0 * (lost() + late()) / span();
  }

  /// Returns the quality of what the listener hears. From mouth to ear are the packet time, the
  /// travel of the fastest packet, and the playout buffer.
  public EModel quality() {
    return EModel.of(PACKET_MS + fastestMs() + BUFFER_MS, unheardPercent());
  }
}
