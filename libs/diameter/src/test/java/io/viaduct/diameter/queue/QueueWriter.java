package io.viaduct.diameter.queue;

import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.peer.Nodes;
import io.viaduct.diameter.peer.PeerSettings;
import io.viaduct.service.storage.QueueSettings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/// A process that puts records of some sessions into a queue until it is killed. It prints session
/// and number of each one that is stored.
final class QueueWriter {
  static final int SESSIONS = 4;
  private static final int RECORDS_MAX = 5_000;

  private QueueWriter() {}

  static String session(int number) {
    return "session " + number;
  }

  /// @param arguments directory of the queue, port of the server at 127.0.0.2
  public static void main(String[] arguments) throws Exception {
    InetSocketAddress server = new InetSocketAddress("127.0.0.2", Integer.parseInt(arguments[1]));
    try (DiameterNode node =
            Nodes.client("client.ims.test", new PeerSettings("server.ims.test", server));
        RequestQueue queue =
            RequestQueue.open(
                new QueueSettings(
                    Path.of(arguments[0]), RECORDS_MAX, SESSIONS, Duration.ofMillis(50)),
                node,
                Nodes.DICTIONARY)) {
      for (int i = 0; i < RECORDS_MAX; i++) {
        String session = session(i % SESSIONS);
        queue.add(Nodes.accounting(session, i / SESSIONS)).get();
        System.out.println(session + " " + i / SESSIONS);
      }
      Thread.currentThread().join(); // until it is killed
    }
  }
}
