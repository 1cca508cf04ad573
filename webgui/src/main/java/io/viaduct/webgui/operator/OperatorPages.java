package io.viaduct.webgui.operator;

import io.viaduct.webgui.bridge.SnaptDirectory;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.peer.PeerAwayException;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/// The list of SNAPTs.
@Controller
class OperatorPages {
  private final SnaptDirectory directory;
  private final Limits limits;

  OperatorPages(SnaptDirectory directory, Limits limits) {
    this.directory = directory;
    this.limits = limits;
  }

  @GetMapping("/snapts")
  String snapts(Model model) {
    model.addAttribute("refreshMs", limits.snaptRefresh().toMillis());
    model.addAttribute("classes", EnrolledSnapts.CLASSES);
    readSnapts(model);
    return "snapts";
  }

  /// The part of the page that asks for itself again every `limits.snapt-refresh`. A bridge that
  /// does not answer is a state of that part, so the page stays and recovers by itself.
  @GetMapping("/snapts/table")
  String snaptTable(Model model) {
    readSnapts(model);
    return "fragments :: snapts";
  }

  private void readSnapts(Model model) {
    try {
      model.addAttribute("snapts", directory.snapts());
    } catch (PeerAwayException e) {
      model.addAttribute("away", true);
    }
  }
}
