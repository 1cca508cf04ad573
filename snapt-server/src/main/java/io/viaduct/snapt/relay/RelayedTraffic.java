package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.metering.RelayOutcome;
import io.viaduct.snapt.metering.SessionMeter;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.terms.OuterHeader;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Counts the datagrams of one session that come out of the session of a neighbour, or go into it.
/// Sends all datagrams through the sender of the loop. For other datagrams it compares one address
/// per link. Owned by the session's event loop.
final class RelayedTraffic implements DatagramSink {
  private final Neighbours neighbours;
  private final Session session;
  private final SessionTotals totals;
  private final SessionMeter meter;
  private final TrafficCounters counters;
  private final DatagramSink sender;
  private final KnownPlaces places;
  private @Nullable InetSocketAddress from;
  private int fromPlace = Neighbours.NONE;
  private long receivedBefore;

  RelayedTraffic(
      Neighbours neighbours,
      Session session,
      SessionTotals totals,
      SessionMeter meter,
      TrafficCounters counters,
      DatagramSink sender) {
    this.neighbours = neighbours;
    this.places = new KnownPlaces(neighbours::placeOf);
    this.session = session;
    this.totals = totals;
    this.meter = meter;
    this.counters = counters;
    this.sender = sender;
  }

  /// Notes the source of a datagram, before the session opens it.
  ///
  /// @return false if it came out of this session itself, and must be dropped
  boolean arrives(@Nullable InetSocketAddress source) {
    from = source;
    fromPlace = source == null ? Neighbours.NONE : places.of(source);
    if (source == null || fromPlace == Neighbours.NONE) {
      return true;
    }
    receivedBefore = totals.receivedOuterBytes();
    return !neighbours.is(session, fromPlace, source);
  }

  /// Counts the datagram after the session has opened it: what it has added to the session's bytes.
  void opened() {
    InetSocketAddress source = from;
    if (source != null && fromPlace != Neighbours.NONE) {
      count(fromPlace, source, totals.receivedOuterBytes() - receivedBefore);
    }
  }

  private void count(int place, InetSocketAddress address, long bytes) {
    if (bytes > 0) {
      String account = neighbours.accountOf(place, address);
      counters.countRelayed(
          account == null ? RelayOutcome.UNKNOWN : meter.relayed(account, bytes), bytes);
    }
  }

  @Override
  public boolean isWritable() {
    return sender.isWritable();
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress target, long nowNs) {
    int place = target == null ? Neighbours.NONE : places.of(target);
    if (target != null && place != Neighbours.NONE) {
      int bytes = burst.readableBytes();
      int datagrams = Math.ceilDiv(bytes, segmentSize);
      count(place, target, bytes + (long) datagrams * OuterHeader.of(target).bytes());
    }
    sender.send(burst, segmentSize, target, nowNs);
  }

  @Override
  public int takeTooLong() {
    return sender.takeTooLong();
  }
}
