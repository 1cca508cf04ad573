package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.terms.CompressionContext;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/// Sends random traffic in both directions over a network that loses, duplicates and reorders. The
/// ends restart, move to other addresses and live long enough to change keys. Each restored packet
/// must equal a sent one, byte for byte, and arrive at most once: the oracle is a map of all sent
/// packets, segmented as a network would do it.
final class NetworkSimulation implements AutoCloseable {
  private static final int FLOWS = 24;
  private static final int LATE_HELD = 50;
  private static final byte[] TEXT =
      "GET /index.html HTTP/1.1\r\nHost: www.example.org\r\nAccept: text/html, application/json\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  /// Shares of datagrams that the network loses, duplicates and reorders, and whether events happen
  /// to the ends.
  ///
  /// @param eventful true if ends restart and move, and time leaps
  record NetworkFaults(double loss, double duplication, double reordering, boolean eventful) {
    static NetworkFaults upTo30Percent(long seed) {
      SplittableRandom random = new SplittableRandom(seed ^ 0x5DEECE66DL);
      return new NetworkFaults(
          random.nextDouble() * 0.3, random.nextDouble() * 0.3, random.nextDouble() * 0.3, true);
    }
  }

  /// Events that must occur at least once in a long run; otherwise the run proves too little.
  enum Event {
    RESTART,
    HANDOVER,
    LEAP,
    KEY_CHANGED,
    OLD_SESSION_REFUSED,
    REPLAY_REFUSED,
    UNKNOWN_FLOW,
    CONTROL_RECORD,
    FLOW_ENDED,
    SUPERPACKET,
    WITHOUT_FLOW,
    IP_FRAGMENT,
    LONG_BODY,
    BODY_INCOMPLETE
  }

  private final SplittableRandom random;
  private final NetworkFaults faults;
  private final Map<Fingerprint, Integer> sent = new HashMap<>();
  private final int[] sequence = new int[FLOWS];
  private final List<byte[]> lateUp = new ArrayList<>();
  private final List<byte[]> lateDown = new ArrayList<>();
  private final Set<Event> seen = EnumSet.noneOf(Event.class);
  private final int[] phase = {-1, -1};
  private LoopbackRig rig;
  private AeadAlgorithm algorithm = AeadAlgorithm.AES_256_GCM;
  private long counter;
  private long segments;
  private long delivered;

  /// Identity of a packet in the oracle: two independent 64-bit hashes, so that ten million packets
  /// need no copy of each.
  private record Fingerprint(long one, long two) {
    static Fingerprint of(byte[] bytes) {
      long a = 0xCBF29CE484222325L;
      long b = bytes.length;
      for (byte each : bytes) {
        a = (a ^ each & 0xFF) * 0x100000001B3L; // FNV-1a
        b = Long.rotateLeft(b, 7) * 0x9E3779B97F4A7C15L + each;
      }
      return new Fingerprint(a, b);
    }
  }

  NetworkSimulation(long seed, NetworkFaults faults) {
    random = new SplittableRandom(seed);
    this.faults = faults;
    rig = rig();
  }

  private LoopbackRig rig() {
    int pathMtu = random.nextInt(10) == 0 ? 9000 : random.nextInt(1400, 1501);
    TunnelSettings settings = TestSettings.of(CompressionContext.values()[random.nextInt(3)]);
    return new LoopbackRig(
            pathMtu,
            settings,
            algorithm,
            Ciphers::fastest,
            PathListener.SILENT,
            BackgroundWork.INLINE)
        .withUdpSuperpackets();
  }

  long segments() {
    return segments;
  }

  long delivered() {
    return delivered;
  }

  int missing() {
    return sent.size();
  }

  Set<Event> seen() {
    return seen;
  }

  void run(int packets) {
    for (int i = 0; i < packets; ) {
      for (int batch = random.nextInt(1, 12); batch > 0; batch--, i++) {
        offerOne();
      }
      rig.send(rig.agent);
      rig.send(rig.snapt);
      step();
      if (faults.eventful) {
        perhapsAnEvent();
      }
    }
    for (int i = 0; i < 30; i++) {
      rig.nowNs += 5_000_000;
      step();
    }
    note();
  }

  private void perhapsAnEvent() {
    switch (random.nextInt(400)) {
      case 0 -> restart();
      case 1, 2 -> {
        int host = random.nextInt(1, 250);
        rig.upFrom = new InetSocketAddress("198.51.100." + host, 1024 + random.nextInt(60_000));
        rig.probe();
        seen.add(Event.HANDOVER);
      }
      case 3, 4, 5 -> {
        // as long as idle flows are kept, or so long that keys change
        rig.nowNs += random.nextLong(random.nextBoolean() ? 70_000_000_000L : 2_000_000_000_000L);
        seen.add(Event.LEAP);
      }
      case 6, 7, 8, 9 -> rig.probe();
      default -> {
        return;
      }
    }
  }

  /// Restarts either end, which loses its state. Both get a session with other keys, and the
  /// datagrams in flight of the old session arrive at the new one.
  private void restart() {
    note();
    List<byte[]> lost = new ArrayList<>(rig.up);
    lost.addAll(lateUp);
    List<byte[]> lostDown = new ArrayList<>(rig.down);
    lostDown.addAll(lateDown);
    rig.close();
    check(rig.atSnapt);
    check(rig.atAgent);
    lateUp.clear();
    lateDown.clear();
    algorithm =
        algorithm == AeadAlgorithm.AES_256_GCM
            ? AeadAlgorithm.CHACHA20_POLY1305
            : AeadAlgorithm.AES_256_GCM;
    rig = rig();
    phase[0] = -1;
    phase[1] = -1;
    seen.add(Event.RESTART);
    for (byte[] datagram : lost) {
      refuse(rig.snapt, datagram);
    }
    for (byte[] datagram : lostDown) {
      refuse(rig.agent, datagram);
    }
  }

  private void refuse(TunnelSession session, byte[] ofTheOldOne) {
    Verdict verdict = rig.receive(session, ofTheOldOne);
    boolean kept = verdict == Verdict.FRAGMENT_KEPT || verdict == Verdict.BAD_FRAGMENT;
    if (!kept && verdict != Verdict.BAD_TAG && verdict != Verdict.STALE_KEY) {
      throw new AssertionError("a datagram of the earlier session got " + verdict);
    }
    seen.add(Event.OLD_SESSION_REFUSED);
  }

  private void note() {
    for (TunnelSession session : List.of(rig.agent, rig.snapt)) {
      note(session, Verdict.REPLAYED, Event.REPLAY_REFUSED);
      note(session, Verdict.UNKNOWN_FLOW, Event.UNKNOWN_FLOW);
      note(session, Verdict.CONTROL_TAKEN, Event.CONTROL_RECORD);
      note(session, Verdict.BODY_INCOMPLETE, Event.BODY_INCOMPLETE);
    }
    if (!rig.ended.isEmpty()) {
      seen.add(Event.FLOW_ENDED);
    }
  }

  private void note(TunnelSession session, Verdict verdict, Event event) {
    if (LoopbackRig.count(session, verdict) > 0) {
      seen.add(event);
    }
  }

  private byte[] payload(int length, boolean text) {
    byte[] bytes = new byte[Math.max(8, length)];
    if (text) {
      int start = random.nextInt(TEXT.length);
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = TEXT[(start + i) % TEXT.length];
      }
    } else {
      random.nextBytes(bytes);
    }
    BigEndian.putLong(bytes, 0, ++counter);
    return bytes;
  }

  private void offerOne() {
    int flow = random.nextInt(FLOWS);
    boolean down = random.nextInt(3) == 0;
    boolean text = flow % 3 != 0;
    rig.serviceClass = ServiceClass.of(flow);
    Endpoints to =
        flow % 4 == 3
            ? Endpoints.ipv6(1000 + flow, flow % 5, 443)
            : Endpoints.ipv4(1000 + flow, flow % 5, 443);
    Endpoints way = down ? to.reversed() : to;
    int mss = rig.agent.terms().limits().tunMtu() - 72;
    byte[] packet;
    int gso = 0;
    boolean partial = random.nextBoolean();
    switch (flow % 5) {
      case 0, 1 -> {
        int length = random.nextInt(4) == 0 ? random.nextInt(20_000) : random.nextInt(mss);
        byte[] payload = payload(length, text);
        packet = PacketForge.tcp(way, sequence[flow], flags(), payload);
        sequence[flow] += payload.length;
        gso = payload.length > mss ? mss : 0;
        partial |= gso > 0;
      }
      case 2 -> packet = PacketForge.echo(way, 1000 + flow, payload(random.nextInt(200), text));
      default -> packet = PacketForge.udp(way, payload(random.nextInt(mss), text));
    }
    if (random.nextInt(20) == 0) {
      changeHops(packet);
    }
    if (flow % 5 == 2) {
      partial = false;
    } else if (partial) {
      PacketForge.checksum(packet, 1);
    } else if (random.nextInt(50) == 0) {
      packet[packet.length - 1] ^= 1; // damaged: must stay damaged
    }
    if (gso == 0 && !partial && packet[0] == 0x45 && random.nextInt(30) == 0) {
      packet[6] = 0x20; // the first of several fragments
      PacketForge.ipChecksum(packet);
      seen.add(Event.IP_FRAGMENT);
    }
    offer(down ? rig.snapt : rig.agent, packet, gso, partial);
  }

  private void offer(TunnelSession session, byte[] packet, int gso, boolean partial) {
    int longest = 0;
    for (byte[] segment : Segments.of(packet, gso, partial)) {
      longest = Math.max(longest, segment.length);
    }
    boolean narrow = longest > OuterHeader.IPV4.innerMtu(session.mtu().size());
    boolean mustCarry = packet[0] >>> 4 == 6 && longest <= IpFields.IPV6_MTU_MIN;
    if (narrow && !mustCarry) {
      return; // after much loss the path seems narrow: an application would have got an ICMP error
    }
    Verdict verdict;
    if (random.nextInt(40) == 0) {
      verdict = withoutFlow(session, packet, gso, partial);
      seen.add(Event.WITHOUT_FLOW);
    } else {
      verdict = rig.offer(session, packet, gso, partial);
    }
    if (verdict == Verdict.QUEUED) {
      List<byte[]> cut = Segments.of(packet, gso, partial);
      for (byte[] segment : cut) {
        sent.merge(Fingerprint.of(segment), 1, Integer::sum);
        segments++;
      }
      if (cut.size() > 1) {
        seen.add(Event.SUPERPACKET);
      }
    } else if (!verdict.name().matches("QUEUE_FULL.*|EARLY.*")) {
      throw new AssertionError("a valid packet got " + verdict);
    }
  }

  private Verdict withoutFlow(TunnelSession session, byte[] packet, int gso, boolean partial) {
    ByteBuf buffer = Unpooled.directBuffer(packet.length).writeBytes(packet);
    try {
      return session.offerFlowless(
          new IpPacket().set(buffer, 0, packet.length, gso, partial), rig.nowNs);
    } finally {
      buffer.release();
    }
  }

  private int flags() {
    return PacketForge.ACK | (random.nextInt(3) == 0 ? PacketForge.PSH : 0);
  }

  private void changeHops(byte[] packet) {
    packet[packet[0] >>> 4 == 4 ? 8 : 7] = (byte) (60 + random.nextInt(4));
    PacketForge.ipChecksum(packet);
  }

  private void carry(Deque<byte[]> wire, TunnelSession to) {
    List<byte[]> late = to == rig.snapt ? lateUp : lateDown;
    List<byte[]> now = new ArrayList<>();
    for (byte[] datagram : wire) {
      keyPhase(to == rig.snapt ? 0 : 1, datagram[0] >>> 2 & 3);
      if (random.nextDouble() < faults.loss) {
        continue;
      }
      if (random.nextDouble() < faults.duplication) {
        (random.nextBoolean() ? late : now).add(datagram);
      }
      if (random.nextDouble() < faults.reordering) {
        now.add(random.nextInt(now.size() + 1), datagram);
      } else {
        now.add(datagram);
      }
    }
    wire.clear();
    if (late.size() > LATE_HELD) {
      now.addAll(late);
      late.clear();
    }
    for (byte[] datagram : now) {
      boolean fragment = (datagram[0] >>> 4 & 3) == DatagramHeader.TYPE_FRAGMENT;
      switch (rig.receive(to, datagram)) {
        case ACCEPTED -> {
          if (fragment) {
            seen.add(Event.LONG_BODY);
          }
        }
        case FRAGMENT_KEPT -> {}
        // a reply to a probe, or a response to a challenge, may come when none is outstanding
        case REPLAYED, TOO_OLD, UNKNOWN_EPOCH, STALE_KEY, PATH_UNEXPECTED, CANDIDATES_FULL -> {}
        // Two epochs late, the key phase is that of the next key, which does not fit. A fragment of
        // the earlier session can spoil one body of this one.
        case BAD_TAG, BAD_FRAGMENT -> {
          if (!seen.contains(Event.KEY_CHANGED) && !seen.contains(Event.RESTART)) {
            throw new AssertionError("an authentic datagram was refused");
          }
        }
        case Verdict other -> throw new AssertionError("an authentic datagram got " + other);
      }
    }
    to.openBatchEnd(rig.nowNs);
  }

  private void keyPhase(int direction, int now) {
    if (phase[direction] >= 0 && phase[direction] != now) {
      seen.add(Event.KEY_CHANGED);
    }
    phase[direction] = now;
  }

  private void check(List<LoopbackRig.Restored> restored) {
    for (LoopbackRig.Restored packet : restored) {
      for (byte[] segment : Segments.of(packet.packet(), packet.gsoSize(), packet.partial())) {
        Fingerprint key = Fingerprint.of(segment);
        Integer left = sent.get(key);
        if (left == null) {
          throw new AssertionError(
              "a packet was restored twice or never sent: " + HexFormat.of().formatHex(segment));
        }
        if (left == 1) {
          sent.remove(key);
        } else {
          sent.put(key, left - 1);
        }
        delivered++;
      }
    }
    restored.clear();
  }

  private void step() {
    rig.nowNs += random.nextInt(2_000_000);
    rig.agent.onTick(rig.nowNs);
    rig.snapt.onTick(rig.nowNs);
    rig.drain(rig.agent);
    rig.drain(rig.snapt);
    carry(rig.up, rig.snapt);
    carry(rig.down, rig.agent);
    check(rig.atSnapt);
    check(rig.atAgent);
  }

  @Override
  public void close() {
    rig.close();
  }
}
