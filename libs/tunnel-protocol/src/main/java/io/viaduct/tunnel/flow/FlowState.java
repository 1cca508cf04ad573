package io.viaduct.tunnel.flow;

import io.viaduct.tunnel.path.FlapHold;
import io.viaduct.tunnel.wire.ServiceClass;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/// State of one flow of the device at this end, for both directions. Owned by the session's event
/// loop.
public final class FlowState {
  /// Path of a flow that has none yet.
  public static final int NO_PATH = -1;

  private final int id;
  private final long deviceHigh;
  private final long deviceLow;
  private final long remoteHigh;
  private final long remoteLow;
  private final int ports;
  private final int protocol;
  private final SendContexts sendContexts = new SendContexts();
  private final ReceiveContexts receiveContexts = new ReceiveContexts();
  private final FlowCounters sent = new FlowCounters();
  private final FlowCounters received = new FlowCounters();
  private final CompressionEstimate compression = new CompressionEstimate();
  private final FlowLink link = new FlowLink();
  private PeerFlowStats peer = PeerFlowStats.NONE;
  private @Nullable ServiceClass serviceClass;
  private int application;
  private long openedNs;
  private long lastNs;
  private @Nullable Object attachment;

  // Owned by the table and the session.
  int alias;
  int finSeen;
  long endAtNs = Long.MAX_VALUE;
  FlowEnd endReason = FlowEnd.IDLE;
  boolean ended;
  private long classSequence = -1;
  private boolean statsDue;
  private long statsDueNs;
  private @Nullable FlowState statsNext;
  private int share;
  private int queued;
  private long slot;
  private int slotBytes;
  private int path = NO_PATH;
  private long pathSinceNs;
  private @Nullable FlapHold moveHold; // made for the first move: most flows stay
  private int copyPath = NO_PATH;
  private @Nullable SpreadState spread;
  private int nextNumber;
  private int route = FlowRoute.ANY;
  private long routeSequence = -1; // of the datagram that has told it
  private boolean held;
  private int waitsFor = NO_PATH;
  private long waitsFromNs;
  private long waitedNs;
  private long peerWaitedUs;

  FlowState(
      int id,
      long deviceHigh,
      long deviceLow,
      long remoteHigh,
      long remoteLow,
      int ports,
      int protocol,
      long nowNs) {
    this.id = id;
    this.deviceHigh = deviceHigh;
    this.deviceLow = deviceLow;
    this.remoteHigh = remoteHigh;
    this.remoteLow = remoteLow;
    this.ports = ports;
    this.protocol = protocol;
    this.openedNs = nowNs;
    this.lastNs = nowNs;
  }

  /// Returns the flow's id in the session, given by the end that opened the flow: device 1 …
  /// 1048575, SNAPT above.
  public int id() {
    return id;
  }

  /// Returns the peer's id for the flow if both ends opened it at once, else 0.
  public int alias() {
    return alias;
  }

  /// Returns whether the flow has a class. Until then its packets travel in the lowest class.
  public boolean isClassified() {
    return serviceClass != null;
  }

  /// Sets the flow's class and the index of its application's name in the Hello. May be called
  /// again.
  public void classify(ServiceClass newClass, int applicationIndex) {
    if (applicationIndex < 0 || applicationIndex > 255) {
      throw new IllegalArgumentException(
          "application index is " + applicationIndex + ", must be 0 … 255");
    }
    if (isClassified() && applicationIndex != application) {
      sendContexts.forgetAll(); // the next packets are OPEN and carry the new index
    }
    serviceClass = newClass;
    application = applicationIndex;
  }

  /// Returns the flow's class, or the lowest class while it is unclassified.
  public ServiceClass serviceClass() {
    return ServiceClass.orLowest(serviceClass);
  }

  public int application() {
    return application;
  }

  /// Returns the id of the path that the flow's last packet took, [#NO_PATH] before the first.
  public int path() {
    return path;
  }

  /// Notes the path of a packet.
  public void path(int id, long nowNs) {
    if (id != path) {
      path = id;
      pathSinceNs = nowNs;
    }
  }

  /// Returns the time since which the packets take [#path].
  public long pathSinceNs() {
    return pathSinceNs;
  }

  /// Returns the hold time of a flow that has moved because its path was full; null for all others.
  public @Nullable FlapHold moveHold() {
    return moveHold;
  }

  public void moveHold(FlapHold time) {
    moveHold = time;
  }

  /// Returns the id of the second path that the flow's packets take too; [#NO_PATH] for none.
  public int copyPath() {
    return copyPath;
  }

  public void copyPath(int id) {
    copyPath = id;
  }

  /// Returns the state of a flow that fills its path; null for all others.
  public @Nullable SpreadState spread() {
    return spread;
  }

  public void spread(@Nullable SpreadState state) {
    spread = state;
  }

  /// Returns whether the flow's packets travel by all paths.
  public boolean isSpread() {
    return spread != null && spread.isSpread();
  }

  /// Returns the number of the next packet that needs one, and counts it. The numbers go on when
  /// the flow is spread again: the receiver may still expect the next one.
  public int takeNumber() {
    return nextNumber++;
  }

  /// Returns the path that a rule of the device has chosen, or a value of [FlowRoute].
  public int route() {
    return route;
  }

  /// Sets the path that a rule of the device has chosen.
  ///
  /// @param path id of the path, or a value of [FlowRoute]
  public void route(int path) {
    route = path;
  }

  /// Takes a route that a datagram of the device has told, unless a newer one has told another. A
  /// late record must not bind the flow to a path that leads over another link now.
  ///
  /// @param sequence of the datagram
  public void followRoute(int told, long sequence) {
    if (sequence >= routeSequence) {
      routeSequence = sequence;
      route = told;
    }
  }

  /// Returns whether packets of the flow are refused for now, because nobody pays for them.
  public boolean isHeld() {
    return held;
  }

  /// Refuses the packets that this end takes for the flow, or lets them pass again. A flow that the
  /// other end's packets keep open stays in the table.
  public void hold(boolean refused) {
    held = refused;
  }

  /// Returns the IP protocol number.
  public int protocol() {
    return protocol;
  }

  public boolean isIpv4() {
    return FlowTuple.isIpv4(remoteHigh, remoteLow);
  }

  public InetAddress deviceAddress() {
    return FlowTuple.address(deviceHigh, deviceLow);
  }

  /// Returns the address of the correspondent node.
  public InetAddress remoteAddress() {
    return FlowTuple.address(remoteHigh, remoteLow);
  }

  public long deviceHigh() {
    return deviceHigh;
  }

  public long deviceLow() {
    return deviceLow;
  }

  public long remoteHigh() {
    return remoteHigh;
  }

  public long remoteLow() {
    return remoteLow;
  }

  /// Returns the device's port, the identifier of an ICMP echo, or 0.
  public int devicePort() {
    return ports >>> 16;
  }

  public int remotePort() {
    return ports & 0xFFFF;
  }

  /// Returns the time at which this end saw the flow's first packet.
  public long openedNs() {
    return openedNs;
  }

  /// Returns the time at which this end saw the flow's last packet, of either direction.
  public long lastNs() {
    return lastNs;
  }

  /// Returns the counters of packets that this end has sent into the tunnel.
  public FlowCounters sent() {
    return sent;
  }

  /// Returns the counters of packets that this end has received from the tunnel.
  public FlowCounters received() {
    return received;
  }

  /// Returns the device's link that carries the flow.
  public FlowLink link() {
    return link;
  }

  /// Returns the counters that the other end has reported for this flow.
  public PeerFlowStats peer() {
    return peer;
  }

  public void peer(PeerFlowStats stats) {
    peer = stats;
  }

  /// Returns the object that the shell keeps with the flow (its NAPT binding, its meter).
  public @Nullable Object attachment() {
    return attachment;
  }

  public void attach(@Nullable Object shellState) {
    attachment = shellState;
  }

  public boolean hasEnded() {
    return ended;
  }

  /// Returns whether its connection is over: it stays for the last acknowledgements only.
  public boolean isEnding() {
    return endAtNs != Long.MAX_VALUE;
  }

  public SendContexts sendContexts() {
    return sendContexts;
  }

  public ReceiveContexts receiveContexts() {
    return receiveContexts;
  }

  public CompressionEstimate compression() {
    return compression;
  }

  public void touch(long nowNs) {
    lastNs = nowNs;
  }

  /// Takes the class from the newest datagram that carried the flow (SNAPT only): the device
  /// decides classes.
  public void follow(ServiceClass ofDatagram, int ofApplication, long sequence) {
    if (sequence > classSequence) {
      classSequence = sequence;
      serviceClass = ofDatagram;
      if (ofApplication >= 0) {
        application = ofApplication;
      }
    }
  }

  boolean sameRemote(FlowState other) {
    return remoteHigh == other.remoteHigh && remoteLow == other.remoteLow;
  }

  /// Returns whether two flows have the same remote host, and so may be compressed together.
  public static boolean sameRemote(FlowState one, FlowState other) {
    return one.sameRemote(other);
  }

  /// Returns the number of the flow's packets that are encoded and not yet sealed.
  public int queued() {
    return queued;
  }

  public void queued(int change) {
    queued += change;
  }

  /// Notes that the flow's first packet is queued for a path.
  ///
  /// @param pathWaitedNs time for which datagrams have waited for the path
  public void waits(int onPath, long pathWaitedNs) {
    waitsFor = onPath;
    waitsFromNs = pathWaitedNs;
  }

  /// Notes that the flow's last queued packet has left. If it left by another path than the first
  /// one was queued for, that time does not count.
  public void leaves(int byPath, long pathWaitedNs) {
    waitedNs = waitedNs(byPath, pathWaitedNs);
    waitsFor = NO_PATH;
  }

  /// Returns the time for which the flow has had packets that waited for its path, in ns since it
  /// opened.
  public long waitedNs(int onPath, long pathWaitedNs) {
    return waitsFor == onPath && onPath != NO_PATH
        ? waitedNs + pathWaitedNs - waitsFromNs
        : waitedNs;
  }

  /// Takes the time for which the flow has waited at the peer. An older record arrives late: the
  /// time never falls.
  public void peerWaitedUs(long us) {
    peerWaitedUs = Math.max(peerWaitedUs, us);
  }

  /// Returns the time for which the flow has had packets that waited for the peer's path, in µs
  /// since it opened there, as the peer says it.
  public long peerWaitedUs() {
    return peerWaitedUs;
  }

  /// Returns the path that the flow's packets wait for, [#NO_PATH] if none waits.
  public int waitsFor() {
    return waitsFor;
  }

  /// Returns scratch space for code that shares a datagram's bytes among flows. Adds bytes to those
  /// of a slot of time. Another slot begins at 0.
  ///
  /// @return those of the slot before
  public int addInSlot(long ofSlot, int bytes) {
    if (ofSlot != slot) {
      slot = ofSlot;
      slotBytes = 0;
    }
    int before = slotBytes;
    slotBytes += bytes;
    return before;
  }

  public int share() {
    return share;
  }

  public void share(int bytes) {
    share = bytes;
  }

  public boolean isStatsDue() {
    return statsDue;
  }

  public long statsDueNs() {
    return statsDueNs;
  }

  public @Nullable FlowState statsNext() {
    return statsNext;
  }

  public void statsDue(boolean due, long atNs) {
    statsDue = due;
    statsDueNs = atNs;
    statsNext = null;
  }

  public void statsNext(@Nullable FlowState next) {
    statsNext = next;
  }

  @Override
  public String toString() {
    return "flow " + id + " protocol " + protocol + " " + serviceClass();
  }
}
