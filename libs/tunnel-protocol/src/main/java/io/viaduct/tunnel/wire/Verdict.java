package io.viaduct.tunnel.wire;

/// Result of each datagram, record and inner packet. Each value is one counter of a session
/// (`TunnelSession.verdicts()`). Nothing is dropped without a count. Normative: docs/protocol.md.
public enum Verdict {
  /// Inner packet accepted into a compound of its class.
  QUEUED(Subject.PACKET),
  /// Inner packet is no IPv4 or IPv6 packet, or its lengths contradict each other.
  NOT_IP(Subject.PACKET),
  /// Inner packet does not fit into a datagram of the path.
  PACKET_TOO_BIG(Subject.PACKET),
  /// The sender was told the largest packet size. Each such packet also counts as PACKET_TOO_BIG.
  TOLD_TOO_BIG(Subject.PACKET),
  /// The queue of class LT_LD is full.
  QUEUE_FULL_LT_LD(Subject.PACKET),
  QUEUE_FULL_HT_LD(Subject.PACKET),
  QUEUE_FULL_LT_HD(Subject.PACKET),
  QUEUE_FULL_HT_HD(Subject.PACKET),
  /// Packet dropped although its queue has room, because packets wait too long: senders shall slow
  /// down.
  EARLY_LT_LD(Subject.PACKET),
  EARLY_HT_LD(Subject.PACKET),
  EARLY_LT_HD(Subject.PACKET),
  EARLY_HT_HD(Subject.PACKET),
  /// Packet queued, and marked with Congestion Experienced instead of dropped.
  MARKED(Subject.PACKET),
  /// Flow table has no room for one more flow: the packet travels without context.
  FLOW_TABLE_FULL(Subject.PACKET),
  /// All flow ids are in use or were used less than 30 s ago: the packet travels without context.
  FLOW_IDS_EXHAUSTED(Subject.PACKET),
  /// A rule of the device allows no path that works.
  NO_PATH(Subject.PACKET),
  /// Flow is held: the shell around the session refuses its packets for now.
  FLOW_HELD(Subject.PACKET),
  /// Session is closed, or the SNAPT has not yet heard from the device.
  SESSION_CLOSED(Subject.PACKET),

  /// Datagram is authentic and was processed.
  ACCEPTED(Subject.DATAGRAM),
  TOO_SHORT(Subject.DATAGRAM),
  /// Version or type is unknown to this version.
  UNSUPPORTED(Subject.DATAGRAM),
  /// No session has this receiver index. The shell around the sessions counts it.
  UNKNOWN_RECEIVER(Subject.DATAGRAM),
  /// Sequence below the replay window.
  TOO_OLD(Subject.DATAGRAM),
  REPLAYED(Subject.DATAGRAM),
  /// Key epoch that is neither the current one nor a neighbour.
  STALE_KEY(Subject.DATAGRAM),
  BAD_TAG(Subject.DATAGRAM),
  /// Datagram is authentic, but its contents break docs/protocol.md.
  MALFORMED(Subject.DATAGRAM),
  BAD_COMPRESSION(Subject.DATAGRAM),
  /// Body is compressed with a dictionary epoch that this end does not hold.
  UNKNOWN_EPOCH(Subject.DATAGRAM),

  /// Second copy of a datagram that came by two paths. It is authentic; its contents were taken
  /// from the first copy.
  COPY(Subject.DATAGRAM),
  /// Datagram that left by one path only, although its flow asks for two: it is too long for the
  /// second path, or too many copies wait there.
  COPY_NOT_SENT(Subject.DATAGRAM),
  /// Fragment is kept until the other fragments of its body arrive. Nothing of it is authenticated
  /// yet.
  FRAGMENT_KEPT(Subject.DATAGRAM),
  /// Fragment that contradicts itself or the others of its body.
  BAD_FRAGMENT(Subject.DATAGRAM),

  /// Record was restored to a packet.
  RESTORED(Subject.RECORD),
  /// Restored SYN whose maximum segment size was lowered.
  MSS_CLAMPED(Subject.RECORD),
  /// Record of a flow or generation that this end does not hold.
  UNKNOWN_FLOW(Subject.RECORD),
  /// Record that would restore to more than a path or an IP packet can hold.
  RECORD_TOO_BIG(Subject.RECORD),
  CONTROL_TAKEN(Subject.RECORD),
  /// Packet of a spread flow that waited for an earlier one, which came by another path. It also
  /// counts as RESTORED.
  RESEQUENCED(Subject.RECORD),
  /// Gap in a flow that travels by several paths: the missing packets did not arrive in time.
  SEGMENT_MISSING(Subject.RECORD),
  /// Announcement that a flow travels by several paths, while as many are put in order as this end
  /// can, or of a flow that is neither TCP nor UDP: its packets are delivered as they come.
  SPREAD_REFUSED(Subject.RECORD),
  /// Long body was given up because some of its fragments did not arrive.
  BODY_INCOMPLETE(Subject.RECORD),
  /// OPEN of a packet for which the flow table has no room; the packet is delivered.
  OPEN_WITHOUT_CONTEXT(Subject.RECORD),
  /// Reply or response that matches no outstanding probe or challenge; a request of an address that
  /// was not proved and has not sent enough for the answer.
  PATH_UNEXPECTED(Subject.DATAGRAM),
  /// Authentic datagram from a fifth address while four are being challenged.
  CANDIDATES_FULL(Subject.DATAGRAM),
  /// Path message that names a path which the handshake has not allowed; also a route that does, or
  /// that asks for something else which it has not agreed on. Such a route is ignored.
  PATH_UNKNOWN(Subject.DATAGRAM),
  /// Path message that did not leave, because too many wait for the socket or the control
  /// connection is gone. Its sender repeats it.
  PATH_MESSAGE_DROPPED(Subject.DATAGRAM),
  /// Delay sample is below −5 ms after correction by the clock offset.
  DELAY_SKEWED(Subject.RECORD);

  /// Kind of unit that a verdict judges.
  public enum Subject {
    PACKET,
    DATAGRAM,
    RECORD
  }

  public static final int COUNT = values().length;
  private static final Verdict[] QUEUE_FULL = {
    QUEUE_FULL_LT_LD, QUEUE_FULL_HT_LD, QUEUE_FULL_LT_HD, QUEUE_FULL_HT_HD
  };

  private static final Verdict[] EARLY = {EARLY_LT_LD, EARLY_HT_LD, EARLY_LT_HD, EARLY_HT_HD};

  private final Subject subject;

  Verdict(Subject subject) {
    this.subject = subject;
  }

  public Subject subject() {
    return subject;
  }

  /// Returns whether a datagram with this verdict is a sign of life of the peer. A COPY is none:
  /// whoever captured a datagram that left once can replay it once.
  public boolean isSignOfLife() {
    return this == ACCEPTED;
  }

  public static Verdict early(ServiceClass serviceClass) {
    return EARLY[serviceClass.ordinal()];
  }

  public static Verdict queueFull(ServiceClass serviceClass) {
    return QUEUE_FULL[serviceClass.ordinal()];
  }
}
