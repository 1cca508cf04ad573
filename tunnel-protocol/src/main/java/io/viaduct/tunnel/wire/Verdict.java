package io.viaduct.tunnel.wire;

/// Every fate of a datagram, a record and an inner packet. Each value is one counter of a session
/// (`TunnelSession.verdicts()`, indexed by ordinal); nothing is dropped without one. Normative:
/// docs/protocol.md.
public enum Verdict {
  /// Inner packet accepted into a compound of its class.
  QUEUED(Subject.PACKET),
  /// Inner packet is no IPv4 or IPv6 packet, or its lengths contradict each other.
  NOT_IP(Subject.PACKET),
  /// Inner packet does not fit into a datagram of the path.
  PACKET_TOO_BIG(Subject.PACKET),
  /// Its sender was told how large a packet may be; each is also a PACKET_TOO_BIG.
  TOLD_TOO_BIG(Subject.PACKET),
  /// The queue of class LT_LD is full.
  QUEUE_FULL_LT_LD(Subject.PACKET),
  QUEUE_FULL_HT_LD(Subject.PACKET),
  QUEUE_FULL_LT_HD(Subject.PACKET),
  QUEUE_FULL_HT_HD(Subject.PACKET),
  /// Dropped before the queue of its class is full, because it is long: senders shall slow down.
  EARLY_LT_LD(Subject.PACKET),
  EARLY_HT_LD(Subject.PACKET),
  EARLY_LT_HD(Subject.PACKET),
  EARLY_HT_HD(Subject.PACKET),
  /// Taken, and marked with Congestion Experienced instead of dropped.
  MARKED(Subject.PACKET),
  /// No room for one more flow: the packet travels without context.
  FLOW_TABLE_FULL(Subject.PACKET),
  /// Every flow id is in use or was used less than 30 s ago: the packet travels without context.
  FLOW_IDS_EXHAUSTED(Subject.PACKET),
  /// The session was closed, or a peer has not been heard from yet.
  SESSION_CLOSED(Subject.PACKET),

  /// Datagram authenticated and taken.
  ACCEPTED(Subject.DATAGRAM),
  TOO_SHORT(Subject.DATAGRAM),
  /// Version or type that this version does not speak.
  UNSUPPORTED(Subject.DATAGRAM),
  /// No session has this receiver index (counted by the shell).
  UNKNOWN_RECEIVER(Subject.DATAGRAM),
  /// Sequence below the replay window.
  TOO_OLD(Subject.DATAGRAM),
  REPLAYED(Subject.DATAGRAM),
  /// Key epoch that is neither the current one nor a neighbour.
  STALE_KEY(Subject.DATAGRAM),
  BAD_TAG(Subject.DATAGRAM),
  /// Authentic, but it breaks docs/protocol.md.
  MALFORMED(Subject.DATAGRAM),
  BAD_COMPRESSION(Subject.DATAGRAM),
  /// Compressed with a dictionary epoch that this end does not hold.
  UNKNOWN_EPOCH(Subject.DATAGRAM),

  /// Kept until the other fragments of its body are here; nothing of it is authenticated yet.
  FRAGMENT_KEPT(Subject.DATAGRAM),
  /// Fragment that contradicts itself or the others of its body.
  BAD_FRAGMENT(Subject.DATAGRAM),

  /// Record restored to a packet.
  RESTORED(Subject.RECORD),
  /// Restored SYN whose maximum segment size was lowered.
  MSS_CLAMPED(Subject.RECORD),
  /// Record of a flow or generation that this end does not hold.
  UNKNOWN_FLOW(Subject.RECORD),
  /// Record that would restore to more than a path or an IP packet can hold.
  RECORD_TOO_BIG(Subject.RECORD),
  CONTROL_TAKEN(Subject.RECORD),
  /// Long body given up because fragments of it did not come.
  BODY_INCOMPLETE(Subject.RECORD),
  /// OPEN of a packet for which the flow table has no room; the packet is delivered.
  OPEN_WITHOUT_CONTEXT(Subject.RECORD),
  /// Answer to a probe or a challenge that is not outstanding.
  PATH_UNEXPECTED(Subject.DATAGRAM),
  /// Authentic datagram from a fifth address while four are being challenged.
  CANDIDATES_FULL(Subject.DATAGRAM),
  /// A delay sample below −5 ms after correction by the clock offset.
  DELAY_SKEWED(Subject.RECORD);

  /// What a verdict is about.
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

  public static Verdict early(ServiceClass serviceClass) {
    return EARLY[serviceClass.ordinal()];
  }

  public static Verdict queueFull(ServiceClass serviceClass) {
    return QUEUE_FULL[serviceClass.ordinal()];
  }
}
