package io.viaduct.radius;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A FreeRADIUS server that writes accounting records to the file `detail`, and its client
/// radclient.
final class FreeRadius implements AutoCloseable {
  private static final String SERVER = "freeradius";
  private static final String CLIENT = "radclient";
  private static final String CONFIGURATION =
      """
      prefix = /usr
      name = freeradius
      logdir = %1$s
      run_dir = %1$s
      libdir = /usr/lib/freeradius
      modules {
        detail {
          filename = %1$s/detail
        }
      }
      client viaduct {
        ipaddr = 127.0.0.0/8
        secret = %2$s
      }
      server accounting {
        listen {
          type = acct
          ipaddr = %3$s
          port = %4$d
        }
        accounting {
          detail
        }
      }
      """;

  private final Path directory;
  private final DatagramSocket holder;
  private final InetSocketAddress address;
  private final Process process;

  private FreeRadius(
      Path directory, DatagramSocket holder, InetSocketAddress address, Process process) {
    this.directory = directory;
    this.holder = holder;
    this.address = address;
    this.process = process;
  }

  /// Starts the server, or skips the test with the reason.
  static FreeRadius start(Path directory, String secret) throws Exception {
    Path program = found(SERVER, "freeradius");
    // The port is free on another address, and held there.
    DatagramSocket holder = new DatagramSocket(new InetSocketAddress("127.0.0.3", 0));
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getByName("127.0.0.2"), holder.getLocalPort());
    Files.writeString(
        directory.resolve("radiusd.conf"),
        CONFIGURATION.formatted(directory, secret, "127.0.0.2", address.getPort()));
    Process process =
        new ProcessBuilder(
                program.toString(),
                "-f",
                "-l",
                "stdout",
                "-n",
                "radiusd",
                "-d",
                directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile())
            .start();
    return new FreeRadius(directory, holder, address, process);
  }

  /// Sends a record with radclient.
  ///
  /// @return its output
  static String radclient(Path directory, int port, String secret, List<String> attributes)
      throws Exception {
    Path program = found(CLIENT, "freeradius-utils");
    Path file = Files.write(directory.resolve("record"), attributes);
    Process process =
        new ProcessBuilder(
                program.toString(), "-x", "-r", "1", "-t", "3", "127.0.0.1:" + port, "acct", secret)
            .redirectErrorStream(true)
            .redirectInput(file.toFile())
            .start();
    String output = new String(process.getInputStream().readAllBytes());
    process.waitFor(10, TimeUnit.SECONDS);
    return output;
  }

  // Debian's server is in /usr/sbin, which is not in everybody's path.
  private static Path found(String program, String debian) {
    Path file =
        Stream.concat(
                Stream.of(System.getenv("PATH").split(File.pathSeparator)), Stream.of("/usr/sbin"))
            .map(folder -> Path.of(folder, program))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
    assumeThat(file)
        .as("skipped: %s is not installed (apt-get install %s)", program, debian)
        .isNotNull();
    return file;
  }

  InetSocketAddress address() {
    return address;
  }

  /// Returns the records that the server has written.
  String detail() throws Exception {
    Path file = directory.resolve("detail");
    return Files.exists(file) ? Files.readString(file) : "";
  }

  @Override
  public void close() throws Exception {
    process.destroy();
    if (!process.waitFor(5, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    holder.close();
  }
}
