package io.viaduct.cnapt;

import io.viaduct.service.operations.UnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `cnapt events`: prints the events of the routing hook, one line each, until the agent stops.
@Command(
    name = "events",
    description = "Print the events of flows from the routing hook, one JSON object per line.",
    mixinStandardHelpOptions = true)
final class EventsCommand implements Callable<Integer> {
  @Option(names = "--config", description = "file that names the socket in routing-hook.socket")
  @Nullable Path config;

  @Option(names = "--socket", description = "the agent's Unix socket of routing-hook.socket")
  @Nullable Path socket;

  @Override
  public Integer call() throws UnavailableException {
    Path at = where();
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(at));
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println(line);
      }
      return 0;
    } catch (IOException e) {
      throw new UnavailableException(
          "%s: %s: is the agent running, with routing-hook.socket in its configuration?"
              .formatted(at, e.getMessage()));
    }
  }

  private Path where() throws UnavailableException {
    if (socket != null) {
      return socket;
    }
    if (config == null) {
      throw new UnavailableException(
          "give --socket, or --config with routing-hook.socket: the routing hook is off by default");
    }
    return AgentReload.source(config)
        .read()
        .routingHook()
        .socket()
        .orElseThrow(() ->
            new UnavailableException(config + " has no routing-hook.socket: the hook is off"));
  }
}
