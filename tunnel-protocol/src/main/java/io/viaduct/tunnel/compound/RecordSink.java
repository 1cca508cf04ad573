package io.viaduct.tunnel.compound;

/// What [CompoundReader] finds. All positions are in the array that it reads; nothing is copied.
public interface RecordSink {
  void stamp(int timeUs);

  /// A whole packet, OPEN or RAW.
  ///
  /// @param flow 0 for RAW
  /// @param install whether it is an OPEN that installs a context
  void whole(
      int flow,
      int generation,
      boolean install,
      int application,
      byte[] bytes,
      int at,
      int length,
      int recordBytes);

  /// IP: the bytes behind an IP header; UDP: a payload.
  void elided(
      int kind,
      int flow,
      int ecn,
      int generation,
      byte[] bytes,
      int at,
      int length,
      int recordBytes);

  /// TCP; `fields` is a flyweight, valid during the call.
  void tcp(
      int flow,
      int ecn,
      int generation,
      TcpFields fields,
      byte[] bytes,
      int at,
      int length,
      int recordBytes);

  /// Takes control records.
  ControlSink controls();

  /// A control record of so many bytes went to [#controls].
  void control(int recordBytes);
}
