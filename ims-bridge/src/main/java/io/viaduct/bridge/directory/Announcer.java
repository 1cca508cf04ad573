package io.viaduct.bridge.directory;

import io.viaduct.usage.v1.DrainOrder;

/// A stream on which a SNAPT announces itself. [SnaptClaims] makes one call at a time.
public interface Announcer {
  /// Returns the numeric address and port of the other end. Two streams of one process share a
  /// connection, and so have the same.
  String peer();

  /// Tells the SNAPT that its status was accepted, and sends the token keys.
  void accepted();

  /// Sends the directory again, because it has changed.
  void changed();

  /// Sends the revocations if they have changed and the SNAPT reads its stream.
  void refresh();

  /// Asks the SNAPT to send a status at once.
  ///
  /// @param number the status repeats it; SNAPTs of the previous version ignore the probe and send
  ///   their next status as usual
  void probe(long number);

  /// Passes an operator's order to the SNAPT.
  void order(DrainOrder order);

  /// Ends the stream.
  ///
  /// @param words the reason and the remedy, for the log of the SNAPT
  void refuse(SnaptDirectory.Refusal reason, String words);
}
