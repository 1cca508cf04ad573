package io.viaduct.testbed.topology;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// A named network namespace. Processes enter it with `nsenter`, threads of this process with
/// `setns(2)`, so that traffic programs can be threads.
///
/// @param name as `ip netns` shows it
public record NetworkNamespace(String name) {
  /// Creates a namespace and brings its loopback up.
  public static NetworkNamespace create(String name) {
    Command.run("ip", "netns", "add", name);
    var namespace = new NetworkNamespace(name);
    namespace.ip("link set lo up");
    return namespace;
  }

  private String path() {
    return "/run/netns/" + name;
  }

  /// Returns a command line that runs the command in the namespace.
  public List<String> inside(List<String> command) {
    var words = new ArrayList<>(List.of("nsenter", "--net=" + path(), "--"));
    words.addAll(command);
    return words;
  }

  /// Runs a command in the namespace to its end, and returns its output.
  public String run(String... words) {
    return Command.run(inside(List.of(words)), "");
  }

  /// Runs `ip` commands, one per line.
  public void ip(String batch) {
    Command.run(List.of("ip", "-n", name, "-batch", "-"), batch + "\n");
  }

  /// Adds rules of nftables.
  public void nft(String rules) {
    Command.run(inside(List.of("nft", "-f", "-")), rules);
  }

  /// Sets a kernel parameter; `/proc/sys/net` shows each thread its own namespace.
  public void sysctl(String key, String value) {
    Path file = Path.of("/proc/sys", key.split("\\."));
    call(() -> Files.writeString(file, value));
  }

  /// Starts a platform thread in the namespace. All sockets that it opens and all threads that it
  /// starts belong to the namespace.
  public <T> CompletableFuture<T> start(String thread, Callable<T> work) {
    var result = new CompletableFuture<T>();
    Thread.ofPlatform()
        .daemon()
        .name(name + ":" + thread)
        .start(() -> {
          try {
            NamespaceEntry.enter(path());
            result.complete(work.call());
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  /// Calls [#start] and waits for the result.
  public <T> T call(Callable<T> work) {
    try {
      return start("call", work).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
