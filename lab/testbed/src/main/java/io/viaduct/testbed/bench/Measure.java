package io.viaduct.testbed.bench;

import java.io.IOException;
import java.util.List;

/// A measurement that can be made with every peer.
interface Measure {
  /// Returns the name used on the command line.
  String name();

  /// Returns the rows of the table that this measure fills.
  List<Row> rows();

  /// Measures one round of one peer.
  ///
  /// @throws IllegalStateException when the peer does not carry the traffic
  void run(Peer peer, Recorder recorder) throws IOException;

  /// Receives the results of a measure.
  interface Recorder {
    void record(Row row, double value);
  }
}
