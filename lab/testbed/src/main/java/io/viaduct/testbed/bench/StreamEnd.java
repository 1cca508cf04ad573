package io.viaduct.testbed.bench;

/// One end of a two-way stream of messages of [#BYTES]. One thread sends, another one receives.
interface StreamEnd extends AutoCloseable {
  /// Length of a message.
  int BYTES = 100;

  /// Longest time that [#receive] waits.
  int PATIENCE_MS = 50;

  /// Returns true when the end knows where to send to.
  boolean isReady();

  /// Sends a message. A message that the kernel refuses is lost.
  void send(byte[] message);

  /// Receives a message.
  ///
  /// @return false if none came for a while
  boolean receive(byte[] message);

  /// Lets a sender and a receiver that wait return soon.
  default void stop() {}

  /// Closes the end, which nobody uses any more.
  @Override
  void close();
}
