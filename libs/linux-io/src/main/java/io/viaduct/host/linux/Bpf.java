package io.viaduct.host.linux;

/// Constants of linux/bpf.h.
public final class Bpf {
  public static final int BPF_PROG_LOAD = 5;
  public static final int BPF_PROG_QUERY = 16;

  /// Linux 5.7 for control groups.
  public static final int BPF_LINK_CREATE = 28;

  public static final int BPF_PROG_TYPE_CGROUP_SOCK = 9;
  public static final int BPF_CGROUP_INET_SOCK_CREATE = 2;

  // __NR_bpf of asm/unistd.h: the only number here that depends on the machine.
  static final long SYSTEM_CALL = System.getProperty("os.arch").equals("aarch64") ? 280 : 321;

  private Bpf() {}
}
