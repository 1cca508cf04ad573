package io.viaduct.testbed.bench;

import java.io.IOException;
import java.util.List;

/// Something that can be measured of every peer.
interface Measure {
  /// As on the command line.
  String name();

  /// The lines that it fills.
  List<Row> rows();

  /// One round of one peer.
  ///
  /// @throws IllegalStateException when the peer does not carry what is asked of it
  void run(Peer peer, Recorder recorder) throws IOException;

  /// Where a measure leaves its numbers.
  interface Recorder {
    void record(Row row, double value);
  }
}
