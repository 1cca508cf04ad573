package io.viaduct.setup;

import io.viaduct.setup.files.SetupDirectory;
import io.viaduct.setup.installation.Installation;
import io.viaduct.setup.installation.Installation.Snapt;
import java.io.IOException;
import java.nio.file.Path;

/// Makes one systemd unit per service. Each service runs as the user `viaduct` and sees the system
/// read-only. Only a SNAPT has capabilities.
final class SystemdUnits {
  private static final String UNIT =
      """
      # Made by `viaduct setup`. Copy it to /etc/systemd/system.
      [Unit]
      Description=%1$s
      Wants=network-online.target
      After=network-online.target%2$s

      [Service]
      User=viaduct
      ExecStart=%3$s run --config %4$s
      ExecReload=/bin/kill -HUP $MAINPID
      Restart=on-failure
      RestartSec=1s
      # Wrong usage, no permission, or a refused configuration: a restart does not help.
      RestartPreventExitStatus=64 77 78
      TimeoutStopSec=60s
      UMask=0077
      ReadWritePaths=%5$s
      # The first stop after an installation writes the start cache, which makes the next start faster (docs/adr/0022-start.md).
      ReadWritePaths=-%6$s
      %7$s
      NoNewPrivileges=yes
      ProtectSystem=strict
      ProtectHome=read-only
      ProtectClock=yes
      ProtectControlGroups=yes
      ProtectHostname=yes
      ProtectKernelLogs=yes
      ProtectKernelModules=yes
      PrivateTmp=yes
      LockPersonality=yes
      RestrictRealtime=yes
      RestrictSUIDSGID=yes
      SystemCallArchitectures=native

      [Install]
      WantedBy=multi-user.target
      """;
  private static final String NO_CAPABILITY =
      """
      CapabilityBoundingSet=
      PrivateDevices=yes
      ProtectKernelTunables=yes
      RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK\
      """;
  // A SNAPT creates a TUN device, routes and nftables rules, and sets the forwarding sysctls.
  private static final String NETWORK_ADMINISTRATION =
      """
      AmbientCapabilities=CAP_NET_ADMIN CAP_NET_BIND_SERVICE
      CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_BIND_SERVICE
      DevicePolicy=closed
      DeviceAllow=/dev/net/tun rw
      RuntimeDirectory=viaduct
      RuntimeDirectoryMode=0750
      RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK\
      """;

  private final SetupDirectory directory;
  private final Launcher launcher;
  private final String state;

  SystemdUnits(SetupDirectory directory, Launcher launcher, Installation installation) {
    this.directory = directory;
    this.launcher = launcher;
    this.state = installation.state();
  }

  static String file(String service) {
    return "systemd/viaduct-" + service + ".service";
  }

  void make(Installation installation) throws IOException {
    make(ServiceFiles.BILLING, "Viaduct billing", "danum-billing", "");
    make(ServiceFiles.BRIDGE, "Viaduct IMS bridge", "ims-bridge", " viaduct-danum-billing.service");
    make(ServiceFiles.WEBGUI, "Viaduct pages", "webgui", "");
    for (Snapt snapt : installation.snapts()) {
      make(snapt.id(), "Viaduct SNAPT " + snapt.id(), "snapt", "");
    }
  }

  private void make(String service, String description, String program, String after)
      throws IOException {
    Path own = directory.path(service).toAbsolutePath().normalize();
    directory.make(
        file(service),
        () ->
            UNIT.formatted(
                description,
                after,
                launcher.program(program),
                own.resolve(service + ".yml"),
                state.isEmpty() ? own : state + "/" + service,
                launcher.startCaches(),
                program.equals("snapt") ? NETWORK_ADMINISTRATION : NO_CAPABILITY));
  }
}
