package io.viaduct.diameter;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.File;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A freeDiameter daemon as relay between two of our nodes. It reads every AVP that its
/// dictionaries know, with their flags and lengths.
public final class FreeDiameter implements AutoCloseable {
  public static final String HOST = "dra.ims.test";
  private static final String PROGRAM = "freeDiameterd";
  private static final String CONFIGURATION =
      """
      Identity = "%1$s";
      Realm = "ims.test";
      Port = %2$d;
      SecPort = 0;
      No_SCTP;
      No_IPv6;
      ListenOn = "%3$s";
      TcTimer = 5;
      TwTimer = 6;
      TLS_Cred = "certificate.pem", "key.pem";
      TLS_CA = "certificate.pem";
      LoadExtension = "dict_nasreq.fdx";
      LoadExtension = "dict_dcca.fdx";
      LoadExtension = "dict_dcca_3gpp.fdx";
      LoadExtension = "acl_wl.fdx" : "acl.conf";
      LoadExtension = "rt_default.fdx" : "rt.conf";
      ConnectPeer = "%4$s" { ConnectTo = "127.0.0.1"; Port = %5$d; No_TLS; Prefer_TCP; No_SCTP; };
      """;

  private final ServerSocket holder;
  private final InetSocketAddress address;
  private final Process process;

  private FreeDiameter(ServerSocket holder, InetSocketAddress address, Process process) {
    this.holder = holder;
    this.address = address;
    this.process = process;
  }

  /// Starts the daemon, or skips the test with the reason.
  ///
  /// @param server Origin-Host of the node to which it connects and relays
  public static FreeDiameter start(Path directory, String server, int serverPort) throws Exception {
    boolean found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
    assumeThat(found)
        .as("skipped: %s is not installed (apt-get install freediameter)", PROGRAM)
        .isTrue();
    // It refuses the addresses 127.0.0.0/8 for its Host-IP-Address.
    InetAddress own =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(one -> one instanceof Inet4Address && !one.isLoopbackAddress())
            .findFirst()
            .orElse(null);
    assumeThat(own).as("skipped: this machine has only loopback addresses").isNotNull();
    ServerSocket holder = new ServerSocket();
    holder.bind(new InetSocketAddress("127.0.0.3", 0));
    InetSocketAddress address = new InetSocketAddress(own, holder.getLocalPort());
    write(directory, server, serverPort, address);
    Process process =
        new ProcessBuilder(PROGRAM, "-c", "dra.conf")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile())
            .start();
    return new FreeDiameter(holder, address, process);
  }

  private static void write(
      Path directory, String server, int serverPort, InetSocketAddress address) throws Exception {
    X509Bundle certificate =
        new CertificateBuilder()
            .rsa2048()
            .subject("CN=" + HOST)
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    Files.writeString(directory.resolve("certificate.pem"), certificate.getCertificatePEM());
    Files.writeString(directory.resolve("key.pem"), certificate.getPrivateKeyPEM());
    Files.writeString(directory.resolve("acl.conf"), "ALLOW_IPSEC *.ims.test\n");
    Files.writeString(directory.resolve("rt.conf"), "* : \"" + server + "\" += 50 ;\n");
    Files.writeString(
        directory.resolve("dra.conf"),
        CONFIGURATION.formatted(
            HOST, address.getPort(), address.getAddress().getHostAddress(), server, serverPort));
  }

  public InetSocketAddress address() {
    return address;
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
