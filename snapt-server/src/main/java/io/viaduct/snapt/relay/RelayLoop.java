package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.concurrent.ScheduledFuture;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.host.udp.DatagramReader;
import io.viaduct.host.udp.UdpSocket;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.napt.Hairpin;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One event loop of the relay, with its sessions, its UDP socket and its queue of the TUN device.
/// All methods except [#counters], [#handTo] and [#execute] are called on the loop.
final class RelayLoop implements DatagramReader, TunReader {
  // Each session is visited twice a second. One visit covers a tenth of the sessions, so that many
  // sessions do not cause one long pause.
  private static final int SLICES = 10;
  private static final long SLICE_MS = 500 / SLICES;

  private final Relay relay;
  private final IoEventLoop loop;
  private final LoopMemory memory;
  private final TrafficCounters counters = new TrafficCounters();
  private final HandOver handOver = new HandOver();
  private final InternetWriter internet = new InternetWriter(counters);
  private final VirtioNetHeader header = new VirtioNetHeader();
  private final Hairpin hairpin;
  private final IpPacket packet = new IpPacket();
  private final IntObjectHashMap<RelayedSession> sessions = new IntObjectHashMap<>();
  private final List<RelayedSession> visited = new ArrayList<>();
  private final List<RelayedSession> batch = new ArrayList<>();
  private final ArrayDeque<RelayedSession> waiting = new ArrayDeque<>();
  private final Progress progress;
  private final UdpSender sender = new UdpSender(counters);
  private final LoopTimer timer;
  private final RefusalAnswers.Memory answerMemory;
  private @Nullable ScheduledFuture<?> slices;
  private long arrivedNs;
  private int cursor;

  RelayLoop(Relay relay, IoEventLoop loop) {
    this.relay = relay;
    this.loop = loop;
    this.hairpin = new Hairpin(relay::shared);
    this.memory =
        new LoopMemory(
            relay.allocator(),
            new SecureRandom(),
            Ciphers::fastest,
            BackgroundWork.on(relay.dictionaryWorker(), loop),
            relay::nowNs,
            relay.historyBudgetBytes());
    this.answerMemory = new RefusalAnswers.Memory(relay.allocator(), relay.pool());
    this.progress = new Progress(relay, counters);
    this.timer = new LoopTimer(loop, relay::nowNs, memory.timerLateness(), this::onDeadline);
  }

  /// Attaches the socket and the TUN queue, and starts the timers. Called once, from outside the
  /// loop.
  void start(UdpSocket socket, InternetPort port) {
    internet.attach(port);
    memory.udpSuperpackets(port.takesUdpSuperpackets());
    port.start(loop, this);
    loop.execute(() -> {
      sender.attach(socket);
      slices =
          loop.scheduleAtFixedRate(this::visitSlice, SLICE_MS, SLICE_MS, TimeUnit.MILLISECONDS);
    });
  }

  void execute(Runnable work) {
    loop.execute(work);
  }

  TrafficCounters counters() {
    return counters;
  }

  InternetWriter internet() {
    return internet;
  }

  UdpSender sender() {
    return sender;
  }

  Hairpin hairpin() {
    return hairpin;
  }

  LoopMemory memory() {
    return memory;
  }

  Relay relay() {
    return relay;
  }

  RefusalAnswers.Memory answerMemory() {
    return answerMemory;
  }

  List<RelayedSession> sessions() {
    return visited;
  }

  // --- sessions come and go

  void onCarry(RelayedSession session) {
    sessions.put(session.session().receiverIndex(), session);
    visited.add(session);
    timer.set(session, session.nextDeadlineNs());
  }

  @Nullable RelayedSession find(int receiverIndex) {
    return sessions.get(receiverIndex);
  }

  void onEnd(RelayedSession session) {
    sessions.remove(session.session().receiverIndex());
    visited.remove(session);
    timer.remove(session);
    waiting.remove(session);
    session.end();
  }

  // --- 1 from the network

  @Override
  public void burst(long waitedNs) {
    arrivedNs = relay.nowNs();
    memory.socketWaitNs(waitedNs);
  }

  @Override
  public void datagram(ByteBuf content, InetSocketAddress from) {
    onDatagram(content, content.readerIndex(), content.readableBytes(), from, true);
  }

  private void onDatagram(
      ByteBuf content, int offset, int length, InetSocketAddress from, boolean mayHandOver) {
    int index = DatagramHeader.receiverIndex(content, offset, length);
    RelayedSession session = index < 0 ? null : sessions.get(index);
    if (session != null) {
      session.onDatagram(content, offset, length, from, arrivedNs);
      touch(session);
      if (session.tunnel().isFullOfAnswers()) {
        drain(session, relay.nowNs());
      }
    } else if (index < 0) {
      counters.count(Verdict.TOO_SHORT);
    } else if (mayHandOver && relay.loopOf(index) != this) {
      handTo(relay.loopOf(index), content.slice(offset, length), from);
    } else {
      counters.count(Verdict.UNKNOWN_RECEIVER);
    }
  }

  /// Opens datagrams that arrived in the control connection of one session. Datagrams of any other
  /// session are refused.
  void onControlDatagrams(Session of, List<ByteBuf> datagrams) {
    memory.socketWaitNs(0);
    for (ByteBuf datagram : datagrams) {
      int length = datagram.readableBytes();
      int index = DatagramHeader.receiverIndex(datagram, 0, length);
      RelayedSession session = index == of.receiverIndex() ? sessions.get(index) : null;
      if (session != null && session.session() == of) {
        session.onDatagram(datagram, 0, length, null, relay.nowNs());
        touch(session);
      } else {
        counters.count(Verdict.UNKNOWN_RECEIVER);
      }
      datagram.release();
    }
    batchEnd();
  }

  void onControl(RelayedSession session, ControlLine.@Nullable Connection connection) {
    session.tunnel().control(null);
    if (connection != null) {
      Runnable writable = () -> onControlWritable(session);
      session.tunnel().control(new ControlLine(connection, relay.allocator(), loop, writable));
      session.onConnected();
    }
  }

  private void onControlWritable(RelayedSession session) {
    if (session.place >= 0) {
      drain(session, relay.nowNs());
    }
  }

  // --- 1 from the Internet

  @Override
  public void packet(ByteBuf buffer, int headerOffset, int packetLength) {
    onPacket(buffer, headerOffset, packetLength, true);
  }

  private void onPacket(ByteBuf buffer, int headerOffset, int length, boolean mayHandOver) {
    header.wrap(buffer, headerOffset);
    int gsoSize = header.gsoType() == VirtioNetHeader.GSO_NONE ? 0 : header.gsoSize();
    int ip = headerOffset + VirtioNetHeader.LENGTH;
    packet.set(buffer, ip, length, gsoSize, header.needsChecksum());
    int receiver = relay.receiverOf(packet);
    RelayedSession session = receiver < 0 ? null : sessions.get(receiver);
    if (session != null) {
      session.onPacket(packet, relay.nowNs());
      touch(session);
    } else if (receiver >= 0 && mayHandOver && relay.loopOf(receiver) != this) {
      int bytes = VirtioNetHeader.LENGTH + length;
      handTo(relay.loopOf(receiver), buffer.slice(headerOffset, bytes), null);
    } else if (receiver < 0 && hairpin.turn(packet)) {
      counters.countTurned(Segments.of(packet).packets());
      internet.writeBack(packet);
    } else {
      counters.count(TrafficCounters.Direction.DOWN, Translated.NO_SESSION, 1, length);
    }
  }

  // --- 1a what belongs to another loop

  private void handTo(RelayLoop other, ByteBuf bytes, @Nullable InetSocketAddress from) {
    ByteBuf copy = relay.allocator().directBuffer(bytes.readableBytes()).writeBytes(bytes);
    if (!other.handOver.offer(new HandOver.Item(copy, from))) {
      copy.release();
      counters.count(Drop.HANDOVER_FULL);
      return;
    }
    counters.countHandedOver();
    if (other.handOver.announce()) {
      other.execute(other::takeOver);
    }
  }

  private void takeOver() {
    handOver.taking();
    burst(0);
    for (HandOver.Item item = handOver.poll(); item != null; item = handOver.poll()) {
      ByteBuf bytes = item.bytes();
      InetSocketAddress from = item.from();
      if (from != null) {
        onDatagram(bytes, 0, bytes.readableBytes(), from, false);
      } else {
        onPacket(bytes, 0, bytes.readableBytes() - VirtioNetHeader.LENGTH, false);
      }
      bytes.release();
    }
    batchEnd();
  }

  // --- 3 to the network: packets are sealed and sent after the last read of a batch.
  // 2 is RelayedSession; 3 to the Internet is Uplink.

  private void touch(RelayedSession session) {
    if (!session.touched) {
      session.touched = true;
      batch.add(session);
    }
  }

  @Override
  public void batchEnd() {
    long nowNs = relay.nowNs();
    if (batch.size() > 1) {
      sender.gather();
    }
    for (int i = 0; i < batch.size(); i++) {
      RelayedSession session = batch.get(i);
      session.touched = false;
      if (session.place >= 0) {
        session.tunnel().openBatchEnd(nowNs);
        session.onCarried(nowNs);
        session.tellRefusals(nowNs);
        session.tunnel().flushBatch(nowNs);
        drain(session, nowNs);
      }
    }
    batch.clear();
    sender.sendGathered();
  }

  private void drain(RelayedSession session, long nowNs) {
    boolean more = session.drain(nowNs);
    progress.onMoved(session);
    // The control connection calls back when it accepts more.
    if (more && session.tunnel().carrier() == Carrier.UDP && !session.waiting) {
      session.waiting = true;
      waiting.add(session);
    }
    timer.set(session, session.nextDeadlineNs());
  }

  @Override
  public void writable() {
    long nowNs = relay.nowNs();
    sender.onWritable(nowNs);
    while (sender.isWritable() && !waiting.isEmpty()) {
      RelayedSession session = waiting.poll();
      session.waiting = false;
      drain(session, nowNs);
    }
  }

  // --- time passes

  private void onDeadline(RelayedSession session, long nowNs) {
    session.onTick(nowNs);
    session.tellRefusals(nowNs);
    drain(session, nowNs);
  }

  private void visitSlice() {
    progress.tell();
    int share = (visited.size() + SLICES - 1) / SLICES;
    for (int i = 0; i < share && !visited.isEmpty(); i++) {
      cursor = cursor + 1 < visited.size() ? cursor + 1 : 0;
      visited.get(cursor).onVisit(relay.nowNs());
    }
  }

  void close() {
    if (slices != null) {
      slices.cancel(false);
    }
    for (RelayedSession session : List.copyOf(visited)) {
      onEnd(session);
    }
    sender.close();
    memory.close();
  }
}
