package io.viaduct.webgui.operator;

import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.time.format.DateTimeParseException;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/// Tells the next page what became of a form: done, refused, changed by somebody else meanwhile, or
/// not known because billing did not answer. The fragment `outcome` shows it.
public final class Outcome {
  private static final int CHANGED_MEANWHILE = 412;

  private Outcome() {}

  /// Carries out an action.
  ///
  /// @param done key of the message for success
  /// @return true if it was done
  public static boolean of(RedirectAttributes page, String done, Runnable action) {
    try {
      action.run();
      page.addFlashAttribute("done", done);
      return true;
    } catch (PeerAwayException e) {
      problem(page, "outcome.away");
    } catch (PeerRefusedException e) {
      problem(page, e.status() == CHANGED_MEANWHILE ? "outcome.changed" : "outcome.refused");
      page.addFlashAttribute("refusal", e.detail());
    } catch (NumberFormatException e) {
      problem(page, "outcome.amount");
    } catch (DateTimeParseException e) {
      problem(page, "outcome.time");
    }
    return false;
  }

  /// Says what to mend.
  ///
  /// @param problem key of the message
  public static void problem(RedirectAttributes page, String problem) {
    page.addFlashAttribute("problem", problem);
  }
}
