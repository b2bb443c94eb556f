#include "extract/methods/mountain_model.h"
#include "extract/methods/ridge_svm.h"

/*
 * The universal model, as constants: the program does not read, allocate or
 * store anything for it. extract/methods/mountain_model.cmake creates
 * extract/methods/mountain_model.h from conf/models/mountain.model; its
 * MOUNTAIN_VECTORS(X) has X(index, coefficient, height, width, RP, CP) for each
 * support vector. libsvm only reads the data behind its pointers.
 */
#define VECTOR(index, coefficient, height, width, rp, cp) \
	{{{1, (height)}, {2, (width)}, {3, (rp)}, {4, (cp)}, {-1, 0}}},
#define COEFFICIENT(index, coefficient, height, width, rp, cp) (coefficient),
#define POINTER(index, coefficient, height, width, rp, cp) \
	(struct svm_node *)vectors[index].nodes,

static const struct ridge_vector vectors[] = {MOUNTAIN_VECTORS(VECTOR)};
static const double coefficients[] = {MOUNTAIN_VECTORS(COEFFICIENT)};
static struct svm_node *const pointers[] = {MOUNTAIN_VECTORS(POINTER)};

enum { COUNT = sizeof(vectors) / sizeof(vectors[0]) };

static double *const rows[] = {(double *)coefficients};
static const double rho = MOUNTAIN_RHO;
static const int labels[] = {1, -1};
static const int counts[] = {COUNT, 0};

static const struct ridge_model universal = {
	.svm =
		{
			.param = {.svm_type = C_SVC,
				  .kernel_type = RBF,
				  .gamma = MOUNTAIN_GAMMA,
				  .C = MOUNTAIN_C},
			.nr_class = 2,
			.l = COUNT,
			.SV = (struct svm_node **)pointers,
			.sv_coef = (double **)rows,
			.rho = (double *)&rho,
			.label = (int *)labels,
			.nSV = (int *)counts,
		},
	.vectors = (struct ridge_vector *)vectors,
	.labels = {1, -1},
	.counts = {COUNT, 0},
	.rho = MOUNTAIN_RHO,
	.coefficients = (double *)coefficients,
};

const struct ridge_model *ridge_model_universal(void)
{
	return &universal;
}
