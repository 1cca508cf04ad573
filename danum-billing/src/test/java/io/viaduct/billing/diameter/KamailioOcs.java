package io.viaduct.billing.diameter;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A Kamailio whose module ims_ocs is an online charging system: it grants 600 s to each request,
/// because it counts in CC-Time only.
final class KamailioOcs implements AutoCloseable {
  static final String HOST = "ocs.ims.test";
  private static final Path PROGRAM = Path.of("/usr/sbin/kamailio");
  private static final Path MODULE =
      Path.of("/usr/lib/x86_64-linux-gnu/kamailio/modules/ims_ocs.so");

  private static final String SCRIPT =
      """
      #!KAMAILIO
      debug=2
      log_stderror=yes
      children=1
      listen=udp:127.0.0.1:%d
      disable_tcp=yes
      auto_aliases=no
      dns=no
      rev_dns=no
      loadmodule "tm.so"
      loadmodule "sl.so"
      loadmodule "pv.so"
      loadmodule "cdp.so"
      loadmodule "cdp_avp.so"
      loadmodule "ims_ocs.so"
      modparam("cdp", "config_file", "%s")
      request_route { exit; }
      event_route[ocs:ccr-orig] { ccr_result("2001", "600", "0"); }
      event_route[ocs:ccr-term] { ccr_result("2001", "600", "0"); }
      """;

  private static final String PEERS =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <DiameterPeer FQDN="%s" Realm="ims.test" Vendor_Id="10415" Product_Name="CDiameterPeer" AcceptUnknownPeers="1"
        DropUnknownOnDisconnect="1" Tc="5" Workers="2" QueueLength="32" TransactionTimeout="5" SessionsHashSize="128"
        DefaultAuthSessionTimeout="3600" MaxAuthSessionTimeout="3600">
        <Acceptor port="%d" bind="127.0.0.1"/>
        <Auth id="4" vendor="10415"/>
        <Auth id="4" vendor="0"/>
        <SupportedVendor vendor="10415"/>
      </DiameterPeer>
      """;

  // The ports are free on another address, and held there: no other process gets them meanwhile.
  private final DatagramSocket heldUdp = new DatagramSocket(0, InetAddress.getByName("127.0.0.3"));
  private final ServerSocket heldTcp = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.3"));
  private final Path log;
  private final Process process;

  /// @param folder gets its configuration and its log
  KamailioOcs(Path folder) throws IOException {
    assumeThat(Files.isExecutable(PROGRAM) && Files.exists(MODULE))
        .as("skipped: kamailio with ims_ocs is not installed (kamailio-ims-modules)")
        .isTrue();
    Path peers = folder.resolve("ocs-cdp.xml");
    Files.writeString(peers, PEERS.formatted(HOST, address().getPort()));
    Path script = folder.resolve("ocs.cfg");
    Files.writeString(script, SCRIPT.formatted(heldUdp.getLocalPort(), peers));
    log = folder.resolve("ocs.log");
    process =
        new ProcessBuilder(
                PROGRAM.toString(),
                "-f",
                script.toString(),
                "-DD",
                "-E",
                "-m",
                "64",
                "-M",
                "8",
                "-Y",
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
  }

  InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", heldTcp.getLocalPort());
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  @Override
  public void close() throws Exception {
    List<ProcessHandle> workers = process.descendants().toList();
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      workers.forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    heldUdp.close();
    heldTcp.close();
  }
}
