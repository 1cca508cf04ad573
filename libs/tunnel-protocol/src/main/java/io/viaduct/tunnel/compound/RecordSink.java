package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.wire.Arrival;

/// Receives the records of [CompoundReader]. All positions are in the array that it reads; nothing
/// is copied. The [Arrival] is lent for the call.
public interface RecordSink {
  void stamp(Arrival arrival, int timeUs);

  /// Takes a whole packet, OPEN or RAW.
  ///
  /// @param flow 0 for RAW
  /// @param install true if it is an OPEN that installs a context
  void whole(
      Arrival arrival,
      int flow,
      int generation,
      boolean install,
      int application,
      byte[] bytes,
      int at,
      int length,
      int recordBytes);

  /// Takes an IP record (the bytes behind an IP header), or a UDP or NUMBERED record (a payload).
  ///
  /// @param kind NUMBERED is given as UDP
  /// @param number place of the packet in its flow, modulo 2^24; [Record#NO_NUMBER] without one
  void elided(
      Arrival arrival,
      int kind,
      int flow,
      int ecn,
      int generation,
      int number,
      byte[] bytes,
      int at,
      int length,
      int recordBytes);

  /// Takes a TCP record. `fields` is a flyweight, valid during the call.
  void tcp(
      Arrival arrival,
      int flow,
      int ecn,
      int generation,
      TcpFields fields,
      byte[] bytes,
      int at,
      int length,
      int recordBytes);

  /// Returns the sink of the control records.
  ControlSink controls();

  /// Counts the bytes of a control record that went to [#controls].
  void control(int recordBytes);
}
