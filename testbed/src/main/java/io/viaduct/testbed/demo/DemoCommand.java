package io.viaduct.testbed.demo;

import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.*;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `viaduct demo`.
@Command(name = "demo", mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
  @Option(names = "--once")
  private boolean once;

  @Option(names = "--root")
  private Path root = Path.of(".");

  @Option(names = "--directory")
  private Path directory = Path.of(".");

  @Override
  public Integer call() throws Exception {
    long t0 = System.nanoTime();
    Topology topology = Topology.lay();
    System.out.println(topology.drawing() + (System.nanoTime() - t0) / 1_000_000);
    topology.server.call(() -> {
      TextServer.start(Topology.SERVER, 80, System::nanoTime);
      return 0;
    });
    var unusedE =
        topology.server.start(
            "echo",
            () -> {
              PacedStream.echo(Topology.SERVER, 5000);
              return 0;
            });
    var unusedF =
        topology.server.start(
            "rr",
            () -> {
              RoundTrips.echo(Topology.SERVER, 22);
              return 0;
            });
    Thread.sleep(300);
    var going = new boolean[] {true};
    var stream =
        topology.device.start(
            "stream",
            () ->
                PacedStream.run(
                    new InetSocketAddress(Topology.SERVER, 5000),
                    100,
                    () -> going[0],
                    System::nanoTime));
    System.out.println(
        topology.device.call(() ->
            new TextDownload()
                .run(Topology.SERVER, 80, "/text?seed=7&bytes=20000000&rate=100000000")));
    System.out.println(
        TextDownload.expected(7, 20000000) + " " + (System.nanoTime() - t0) / 1_000_000);
    going[0] = false;
    System.out.println(stream.join());
    long end = System.nanoTime() + 1_000_000_000;
    var h =
        topology.device.call(() -> {
          try (var rr =
              new RoundTrips(new InetSocketAddress(Topology.SERVER, 22), System::nanoTime)) {
            return rr.run(() -> System.nanoTime() < end);
          }
        });
    System.out.println(h.getValueAtPercentile(50) + " " + h.getValueAtPercentile(99));
    return 0;
  }
}
