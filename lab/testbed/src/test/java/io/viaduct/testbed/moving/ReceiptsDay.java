package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.TextDownload;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The first process of the laboratory of [ReceiptsLabIT]; prints what it sees. The agent is killed
/// with SIGKILL in the middle of a download, and the supervision starts it again.
public final class ReceiptsDay {
  /// Line of a SNAPT's log about receipts that a device owed when it connected again.
  static final String ANSWERED = "has answered for earlier sessions: (\\d+) signed, \\d+ refused";

  private static final long BYTES = 60_000_000;
  private static final String PATH = "/text?seed=9&rate=100000000&bytes=" + BYTES;

  private ReceiptsDay() {}

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          MovingLab lab = new MovingLab(clone, directory, NetworkPlan.STANDARD, "", "");
          lab.start();
          pass(lab);
        });
  }

  private static void pass(MovingLab lab) throws Exception {
    var download = new TextDownload();
    CompletableFuture<TextDownload.Result> result =
        lab.network.device.start(
            "download", () -> download.run(Topology.SERVER, MovingLab.TEXT_PORT, PATH));
    MovingLab.await(() -> download.received() > BYTES * 2 / 5, "the download is under way");
    lab.deployment.process("cnapt").kill();
    MovingLab.await(() -> lab.logged("snapt-1", ANSWERED) > 0, "the SNAPT has its receipts");
    MovingLab.say("downloaded", result.get(60, TimeUnit.SECONDS).bytes());
  }
}
