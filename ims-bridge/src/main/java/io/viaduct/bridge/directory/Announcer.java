package io.viaduct.bridge.directory;

/// One stream on which a SNAPT announces itself. [SnaptClaims] calls it, one call at a time.
public interface Announcer {
  /// The other end of the connection, numeric address and port. Two streams of one process have the
  /// same.
  String peer();

  /// Tells the SNAPT that its status was taken, with the token keys.
  void accepted();

  /// Asks the SNAPT for a status at once.
  ///
  /// @param number comes back in the status; SNAPTs of the version before do not know it and answer
  ///   with their next status
  void probe(long number);

  /// Ends the stream.
  ///
  /// @param words what happened and what to do, for the log of the SNAPT
  void refuse(SnaptDirectory.Refusal reason, String words);
}
